package dev.blobmark.lab.run;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.study.ConditionBlock;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.jdk.StringDeserializer;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.util.StdConverter;

/** How the files of a run directory are spelled. Fields that this version does not know are passed over. */
final class RunJson {

    static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .changeDefaultVisibility(v -> v.withIsGetterVisibility(Visibility.NONE))
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .annotationIntrospector(new NumbersAreRequired())
            .addModule(new SimpleModule()
                    .addDeserializer(String.class, new VisibleText())
                    .addKeyDeserializer(String.class, new VisibleKey()))
            .addMixIn(Study.class, StudyMixin.class)
            .addMixIn(Trial.class, TrialMixin.class)
            .addMixIn(SizeClass.class, SizeClassMixin.class)
            .build();

    private RunJson() {}

    /** A number that is missing is an error, not 0; what may be missing is an {@code Optional}. */
    private static final class NumbersAreRequired extends JacksonAnnotationIntrospector {
        @Override
        public Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
            return member.getRawType().isPrimitive() ? Boolean.TRUE : super.hasRequiredMarker(config, member);
        }
    }

    /** A run may come from somebody else: whatever is made of it has no character that a terminal would obey. */
    private static final class VisibleText extends StdScalarDeserializer<String> {
        private VisibleText() {
            super(String.class);
        }

        @Override
        public String deserialize(JsonParser parser, DeserializationContext context) {
            return Visible.of(StringDeserializer.instance.deserialize(parser, context));
        }
    }

    private static final class VisibleKey extends KeyDeserializer {
        @Override
        public Object deserializeKey(String key, DeserializationContext context) {
            return Visible.of(key);
        }
    }

    @JsonSerialize(converter = StudyForm.FromStudy.class)
    @JsonDeserialize(converter = StudyForm.ToStudy.class)
    private interface StudyMixin {}

    private interface TrialMixin {
        @JsonProperty("factors")
        Levels methodLevels();
    }

    private interface SizeClassMixin {
        @JsonValue
        String toString();

        @JsonCreator
        static SizeClass parse(String word) {
            throw new AssertionError("stands for the one of the class");
        }
    }

    /**
     * A resolved study. Its times are numbers of seconds; one of the two windows is null. Where not all methods take part in a
     * condition, it lists them beside its factors, as in a study file.
     */
    record StudyForm(
            String name,
            String question,
            String source,
            String profile,
            String metric,
            String baseline,
            List<MethodForm> methods,
            List<SortedMap<String, List<String>>> conditions,
            ScheduleForm schedule,
            List<ClaimForm> claims) {

        private static final String METHODS = "methods";

        StudyForm {
            claims = claims == null ? List.of() : claims; // of a version that knew no claims
        }

        record MethodForm(String id, Levels factors) {}

        record ScheduleForm(
                int rounds,
                int forks,
                OptionalDouble windowSeconds,
                OptionalLong windowOperations,
                @JsonProperty("warmup_seconds") double warmUpSeconds,
                long seed,
                @JsonInclude(JsonInclude.Include.NON_EMPTY) OptionalDouble visitSeconds,
                OptionalDouble precision,
                OptionalDouble budgetSeconds) {

            static ScheduleForm of(Schedule s) {
                return new ScheduleForm(
                        s.rounds(),
                        s.forks(),
                        s.window() instanceof Window.Time time
                                ? OptionalDouble.of(seconds(time.length()))
                                : OptionalDouble.empty(),
                        s.window() instanceof Window.Count count
                                ? OptionalLong.of(count.operations())
                                : OptionalLong.empty(),
                        seconds(s.warmUp()),
                        s.seed(),
                        s.visit()
                                .map(length -> OptionalDouble.of(seconds(length)))
                                .orElse(OptionalDouble.empty()),
                        s.untilPrecise()
                                .map(until -> OptionalDouble.of(until.target()))
                                .orElse(OptionalDouble.empty()),
                        s.budget()
                                .map(budget -> OptionalDouble.of(seconds(budget)))
                                .orElse(OptionalDouble.empty()));
            }

            Schedule toSchedule() {
                Window window = windowSeconds.isPresent()
                        ? new Window.Time(duration(windowSeconds.getAsDouble()))
                        : new Window.Count(windowOperations.orElseThrow(
                                () -> new IllegalArgumentException("the schedule has no window")));
                Optional<Duration> budget =
                        budgetSeconds.stream().mapToObj(ScheduleForm::duration).findFirst();
                return new Schedule(
                        rounds,
                        forks,
                        window,
                        duration(warmUpSeconds),
                        seed,
                        visitSeconds == null
                                ? Optional.empty()
                                : visitSeconds.stream()
                                        .mapToObj(ScheduleForm::duration)
                                        .findFirst(),
                        precision.stream()
                                .mapToObj(target -> new Schedule.UntilPrecise(target, budget))
                                .findFirst(),
                        precision.isPresent() ? Optional.empty() : budget);
            }

            private static double seconds(Duration duration) {
                return duration.toNanos() / 1e9;
            }

            private static Duration duration(double seconds) {
                return Duration.ofNanos(Math.round(seconds * 1e9));
            }
        }

        static final class FromStudy extends StdConverter<Study, StudyForm> {
            @Override
            public StudyForm convert(Study s) {
                return new StudyForm(
                        s.name(),
                        s.question(),
                        s.source(),
                        s.profile(),
                        s.metric().word(),
                        s.baseline(),
                        s.methods().stream()
                                .map(m -> new MethodForm(m.id(), m.levels()))
                                .toList(),
                        s.conditions().stream().map(FromStudy::condition).toList(),
                        ScheduleForm.of(s.schedule()),
                        s.claims().stream().map(ClaimForm::of).toList());
            }

            private static SortedMap<String, List<String>> condition(ConditionBlock block) {
                SortedMap<String, List<String>> form = new TreeMap<>(block.levels());
                if (!block.methods().isEmpty()) {
                    form.put(METHODS, block.methods());
                }
                return form;
            }
        }

        static final class ToStudy extends StdConverter<StudyForm, Study> {
            @Override
            public Study convert(StudyForm f) {
                return new Study(
                        f.name,
                        f.question,
                        f.source,
                        f.profile,
                        Metric.find(f.metric)
                                .orElseThrow(() -> new IllegalArgumentException("unknown metric '" + f.metric + "'")),
                        f.baseline,
                        f.methods.stream()
                                .map(m -> new Method(m.id(), m.factors()))
                                .toList(),
                        f.conditions.stream().map(ToStudy::block).toList(),
                        f.schedule.toSchedule(),
                        f.claims.stream().map(ClaimForm::toClaim).toList());
            }

            private static ConditionBlock block(SortedMap<String, List<String>> form) {
                SortedMap<String, List<String>> levels = new TreeMap<>(form);
                List<String> methods = levels.remove(METHODS);
                return new ConditionBlock(levels, methods == null ? List.of() : methods);
            }
        }
    }
}
