package dev.blobmark.lab.run;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.study.Claim;
import dev.blobmark.lab.study.ConditionBlock;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Selection;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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

/** The JSON of the files of a run directory. Unknown fields are ignored. */
public final class RunJson {

    public static final JsonMapper MAPPER = JsonMapper.builder()
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
            .addMixIn(Trial.class, TrialMixin.class)
            .addMixIn(SizeClass.class, SizeClassMixin.class)
            .addMixIn(Method.class, MethodMixin.class)
            .addMixIn(Metric.class, WordMixin.class)
            .addMixIn(ConditionBlock.class, ConditionMixin.class)
            .addMixIn(Schedule.class, ScheduleMixin.class)
            .addMixIn(Selection.class, SelectionMixin.class)
            .addMixIn(Claim.class, ClaimMixin.class)
            .addMixIn(Claim.Given.class, GivenMixin.class)
            .addMixIn(Claim.Relation.class, RelationMixin.class)
            .addMixIn(Claim.Apart.class, ApartMixin.class)
            .addMixIn(Claim.Bounds.class, BoundsMixin.class)
            .addMixIn(Claim.Holds.class, WordMixin.class)
            .build();

    private RunJson() {}

    /** A missing number is an error, not 0. A number that may be missing is an {@code OptionalInt} or the like. */
    private static final class NumbersAreRequired extends JacksonAnnotationIntrospector {
        @Override
        public Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
            return member.getRawType().isPrimitive() ? Boolean.TRUE : super.hasRequiredMarker(config, member);
        }
    }

    /** Escapes characters that control a terminal, because a run may come from somebody else. */
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

    private interface TrialMixin {
        @JsonProperty("factors")
        Levels methodLevels();
    }

    private interface SizeClassMixin {
        @JsonValue
        String toString();

        @JsonCreator
        static SizeClass parse(String word) {
            throw new AssertionError("Jackson calls the method of the class instead");
        }
    }

    private interface MethodMixin {
        @JsonProperty("factors")
        Levels levels();
    }

    private interface WordMixin {
        @JsonValue
        String word();
    }

    @JsonSerialize(converter = FromCondition.class)
    @JsonDeserialize(converter = ToCondition.class)
    private interface ConditionMixin {}

    @JsonSerialize(converter = ScheduleForm.FromSchedule.class)
    @JsonDeserialize(converter = ScheduleForm.ToSchedule.class)
    private interface ScheduleMixin {}

    private interface SelectionMixin {
        @JsonValue
        SortedMap<String, List<String>> texts();

        @JsonCreator
        static Selection of(Map<String, List<String>> byFactor) {
            throw new AssertionError("Jackson calls the method of the class instead");
        }
    }

    private interface ClaimMixin {
        @JsonInclude(JsonInclude.Include.NON_ABSENT)
        Optional<Claim.Given> given();
    }

    private interface GivenMixin {
        @JsonProperty("low_ns")
        double lowNanos();

        @JsonProperty("high_ns")
        double highNanos();
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Claim.Greater.class, name = "greater"),
        @JsonSubTypes.Type(value = Claim.Apart.class, name = "apart"),
        @JsonSubTypes.Type(value = Claim.Within.class, name = "within"),
        @JsonSubTypes.Type(value = Claim.Ratio.class, name = "ratio"),
        @JsonSubTypes.Type(value = Claim.Ordered.class, name = "ordered")
    })
    private interface RelationMixin {}

    private interface ApartMixin {
        @JsonProperty("low_ns")
        double lowNanos();

        @JsonProperty("high_ns")
        @JsonSerialize(converter = FromBound.class)
        @JsonDeserialize(converter = ToBound.class)
        double highNanos();
    }

    private interface BoundsMixin {
        @JsonSerialize(converter = FromBound.class)
        @JsonDeserialize(converter = ToBound.class)
        double high();
    }

    /** An infinite upper bound is written as null. */
    private static final class FromBound extends StdConverter<Double, OptionalDouble> {
        @Override
        public OptionalDouble convert(Double bound) {
            return bound.isInfinite() ? OptionalDouble.empty() : OptionalDouble.of(bound);
        }
    }

    private static final class ToBound extends StdConverter<OptionalDouble, Double> {
        @Override
        public Double convert(OptionalDouble bound) {
            return bound.orElse(Double.POSITIVE_INFINITY);
        }
    }

    /** The key of a condition's methods, next to its factors as in a study file; missing if all methods take part. */
    private static final String METHODS = "methods";

    /** The key of the charts that need a condition; missing if none does. */
    private static final String CHARTS = "charts";

    private static final class FromCondition extends StdConverter<ConditionBlock, SortedMap<String, List<String>>> {
        @Override
        public SortedMap<String, List<String>> convert(ConditionBlock block) {
            SortedMap<String, List<String>> form = new TreeMap<>(block.levels());
            if (!block.methods().isEmpty()) {
                form.put(METHODS, block.methods());
            }
            if (!block.charts().isEmpty()) {
                form.put(CHARTS, block.charts());
            }
            return form;
        }
    }

    private static final class ToCondition extends StdConverter<SortedMap<String, List<String>>, ConditionBlock> {
        @Override
        public ConditionBlock convert(SortedMap<String, List<String>> form) {
            SortedMap<String, List<String>> levels = new TreeMap<>(form);
            List<String> methods = levels.remove(METHODS);
            List<String> charts = levels.remove(CHARTS);
            return new ConditionBlock(
                    levels, methods == null ? List.of() : methods, charts == null ? List.of() : charts);
        }
    }

    /** A schedule with times in seconds. One of the two windows is null. */
    record ScheduleForm(
            int rounds,
            int forks,
            OptionalDouble windowSeconds,
            OptionalLong windowOperations,
            @JsonProperty("warmup_seconds") double warmUpSeconds,
            long seed,
            OptionalDouble visitSeconds,
            OptionalDouble precision,
            OptionalDouble budgetSeconds) {

        static final class FromSchedule extends StdConverter<Schedule, ScheduleForm> {
            @Override
            public ScheduleForm convert(Schedule s) {
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
                        optional(s.visit().map(ScheduleForm::seconds)),
                        optional(s.untilPrecise().map(Schedule.UntilPrecise::target)),
                        optional(s.budget().map(ScheduleForm::seconds)));
            }
        }

        static final class ToSchedule extends StdConverter<ScheduleForm, Schedule> {
            @Override
            public Schedule convert(ScheduleForm form) {
                Window window = form.windowSeconds.isPresent()
                        ? new Window.Time(duration(form.windowSeconds.getAsDouble()))
                        : new Window.Count(form.windowOperations.orElseThrow(
                                () -> new IllegalArgumentException("the schedule has no window")));
                Optional<Duration> budget = duration(form.budgetSeconds);
                return new Schedule(
                        form.rounds,
                        form.forks,
                        window,
                        duration(form.warmUpSeconds),
                        form.seed,
                        duration(form.visitSeconds),
                        form.precision.stream()
                                .mapToObj(target -> new Schedule.UntilPrecise(target, budget))
                                .findFirst(),
                        form.precision.isPresent() ? Optional.empty() : budget);
            }
        }

        private static OptionalDouble optional(Optional<Double> number) {
            return number.map(OptionalDouble::of).orElse(OptionalDouble.empty());
        }

        private static double seconds(Duration duration) {
            return duration.toNanos() / 1e9;
        }

        private static Optional<Duration> duration(OptionalDouble seconds) {
            return seconds.stream().mapToObj(ScheduleForm::duration).findFirst();
        }

        private static Duration duration(double seconds) {
            return Duration.ofNanos(Math.round(seconds * 1e9));
        }
    }
}
