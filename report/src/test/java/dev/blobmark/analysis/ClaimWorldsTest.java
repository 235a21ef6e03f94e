package dev.blobmark.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.plan.Block;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Claim;
import dev.blobmark.lab.study.Claim.Apart;
import dev.blobmark.lab.study.Claim.Greater;
import dev.blobmark.lab.study.Claim.Holds;
import dev.blobmark.lab.study.Claim.Ordered;
import dev.blobmark.lab.study.Claim.Ratio;
import dev.blobmark.lab.study.Claim.Relation;
import dev.blobmark.lab.study.Claim.Within;
import dev.blobmark.lab.study.Selection;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.stats.Margin;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each claim of the built-in studies can hold and can fail: it is graded by simulated samples of its study's profiles,
 * in which it is true, turned around, of another size, or in which there is no difference.
 */
class ClaimWorldsTest {

    /** By how much a figure goes beyond a bound, as a factor. */
    private static final double CLEARLY = 1.25;

    /** A figure of most trials, in any unit. */
    private static final double FIGURE = 1e6;

    /** Of profiles with more trials, only the smallest is used, and only if no other tests the claim. */
    private static final int MANY_TRIALS = 500;

    /** The profiles that were read, by study. */
    private static final Map<String, List<Study>> PROFILES = new HashMap<>();

    /** All trials, by study and profile. */
    private static final Map<String, List<Trial>> TRIALS = new HashMap<>();

    /** The number of each trial's block, by study and profile. */
    private static final Map<String, Map<Trial, Integer>> BLOCKS = new HashMap<>();

    /** A claim of a study. */
    record Case(String study, Claim claim) {

        @Override
        public String toString() {
            return study + ": " + claim.id();
        }
    }

    /** The trials of a profile that a claim compares. */
    private record Profile(Study study, List<Trial> trials, Map<Trial, Integer> blocks) {

        static Profile of(Study study, Claim claim) {
            List<Trial> compared = TRIALS.computeIfAbsent(key(study), key -> study.trials(Factors.VOCABULARY)).stream()
                    .filter(trial -> isCompared(claim, trial))
                    .toList();
            return new Profile(study, compared, Map.of());
        }

        /** With the blocks in which a run of the whole profile measures the trials. */
        Profile inBlocks() {
            return new Profile(study, trials, BLOCKS.computeIfAbsent(key(study), key -> {
                Map<Trial, Integer> blocks = new HashMap<>();
                Block.of(TRIALS.get(key), study.schedule().seed())
                        .forEach(block -> block.trials().forEach(trial -> blocks.put(trial, block.number())));
                return blocks;
            }));
        }

        int allTrials() {
            return TRIALS.get(key(study)).size();
        }

        private static String key(Study study) {
            return study.name() + "/" + study.profile();
        }

        /** With a latency in the middle of what the claim is about. */
        GradedClaim grade(Claim claim, ToDoubleFunction<Trial> figure) {
            OptionalDouble middle = claim.given().stream()
                    .mapToDouble(given -> (given.lowNanos() + given.highNanos()) / 2)
                    .findFirst();
            return grade(claim, figure, middle);
        }

        GradedClaim grade(Claim claim, ToDoubleFunction<Trial> figure, OptionalDouble latencyNanos) {
            SimulatedSamples simulated =
                    new SimulatedSamples(claim.metric(), claim.operation(), study.schedule(), latencyNanos);
            List<Sample> samples = trials.stream()
                    .flatMap(trial -> simulated.of(trial, blocks.get(trial), figure.applyAsDouble(trial)).stream())
                    .toList();
            return Claims.USUAL.grade(with(claim), samples).get(0);
        }

        private Study with(Claim claim) {
            return new Study(
                    study.name(),
                    study.question(),
                    study.source(),
                    study.profile(),
                    study.metric(),
                    study.baseline(),
                    study.methods(),
                    study.conditions(),
                    study.schedule(),
                    List.of(claim));
        }
    }

    /**
     * Figures by the steps of a claim. A comparison has two: what should be less, and what should be greater.
     *
     * @param name in messages
     */
    private record World(String name, List<Double> figures) {

        static World of(String name, double... figures) {
            return new World(name, DoubleStream.of(figures).boxed().toList());
        }

        /** With an effect, only the figures of its first trial differ. */
        ToDoubleFunction<Trial> of(Claim claim) {
            return trial -> {
                OptionalInt step = step(claim, trial);
                return step.isPresent() && isDividend(claim, trial)
                        ? figures.get(step.getAsInt())
                        : figure(claim.relation());
            };
        }
    }

    static Stream<Case> claims() {
        return Studies.names().stream()
                .flatMap(name -> Studies.read(name, Factors.VOCABULARY, Optional.empty()).claims().stream()
                        .map(claim -> new Case(name, claim)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("claims")
    void canHoldAndCanFail(Case tested) {
        List<Profile> testing = testing(tested.claim, profiles(tested.study));

        testing.forEach(profile -> check(tested.claim, profile));
    }

    /** The profiles in which all that a claim names is measured. */
    private static List<Profile> testing(Claim claim, List<Study> profiles) {
        List<Profile> testing = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        List<Profile> bySize = profiles.stream()
                .map(profile -> Profile.of(profile, claim))
                .sorted(Comparator.comparingInt(Profile::allTrials))
                .toList();
        for (Profile profile : bySize) {
            if (profile.trials.isEmpty() || profile.allTrials() > MANY_TRIALS && !testing.isEmpty()) {
                continue;
            }
            Profile measured = profile.inBlocks();
            GradedClaim graded = measured.grade(claim, trial -> FIGURE);
            if (graded.grade() == Grade.NOT_TESTED) {
                missing.add(profile.study.profile() + ": " + graded.missing());
            } else {
                testing.add(measured);
            }
        }
        assertThat(testing)
                .as("profiles that test the claim %s; %s", claim.id(), missing)
                .isNotEmpty();
        return testing;
    }

    private static void check(Claim claim, Profile profile) {
        World asSaid = asSaid(claim.relation());
        GradedClaim holds = requireGrade(Grade.REPRODUCED, claim, profile, asSaid, asSaid.of(claim));
        for (World world : turned(claim.relation())) {
            requireGrade(Grade.REVERSED, claim, profile, world, world.of(claim));
        }
        for (World world : missed(claim.relation())) {
            requireGrade(Grade.DIRECTION_ONLY, claim, profile, world, world.of(claim));
        }
        opposite(claim).ifPresent(other -> requireGrade(Grade.REVERSED, other, profile, asSaid, asSaid.of(claim)));
        if (!(claim.relation() instanceof Within)) {
            assertThat(profile.grade(claim, trial -> figure(claim.relation())).grade())
                    .as("%s in profile %s without a difference", claim.id(), profile.study.profile())
                    .isNotEqualTo(Grade.REPRODUCED);
        }
        claim.given().ifPresent(given -> requireUntested(claim, given, profile, asSaid));
        if (claim.holds() == Holds.SOMETIMES && holds.comparisons().size() > 1) {
            World turned = turned(claim.relation()).get(0);
            requireGrade(Grade.REPRODUCED, claim, profile, turned, exceptOne(claim, profile, holds, turned, asSaid));
        }
        if (claim.holds() == Holds.EACH && holds.comparisons().size() > 1) {
            World turned = turned(claim.relation()).get(0);
            assertThat(profile.grade(claim, exceptOne(claim, profile, holds, asSaid, turned))
                            .grade())
                    .as("%s in profile %s, where one trial is turned around", claim.id(), profile.study.profile())
                    .isNotEqualTo(Grade.REPRODUCED);
        }
    }

    /** The claim says nothing of other latencies, whatever the figures are. */
    private static void requireUntested(Claim claim, Claim.Given given, Profile profile, World world) {
        for (double nanos : List.of(given.lowNanos() / CLEARLY, CLEARLY * given.highNanos())) {
            if (!given.includes(nanos)) {
                GradedClaim graded = profile.grade(claim, world.of(claim), OptionalDouble.of(nanos));
                assertThat(graded.grade())
                        .as("%s in profile %s at %s ns", claim.id(), profile.study.profile(), nanos)
                        .isEqualTo(Grade.NOT_TESTED);
                assertThat(graded.missing().orElseThrow().why().orElseThrow()).matches("it is (.+) to \\1 ms");
            }
        }
    }

    private static GradedClaim requireGrade(
            Grade grade, Claim claim, Profile profile, World world, ToDoubleFunction<Trial> figures) {
        GradedClaim graded = profile.grade(claim, figures);
        assertThat(graded.grade())
                .as(
                        "%s in profile %s, %s %s; hardest %s",
                        claim.id(),
                        profile.study.profile(),
                        world.name,
                        world.figures,
                        graded.hardest().map(it -> it.sides() + " " + it.effect() + " " + it.difference()))
                .isEqualTo(grade);
        return graded;
    }

    // ---- the worlds of a claim

    /** The claim is true: in the middle of its range or, if that is open, clearly within it. */
    private static World asSaid(Relation relation) {
        return relation instanceof Apart apart
                ? apart("as said", apart, nanos(apart))
                : new World("as said", powers(relation, ratio(relation)));
    }

    /** The reciprocal ratio, the opposite difference, or what is beyond the allowed share. */
    private static List<World> turned(Relation relation) {
        String name = "turned around";
        if (relation instanceof Apart apart) {
            return List.of(apart(name, apart, -nanos(apart)));
        }
        if (!(relation instanceof Within)) {
            return List.of(new World(name, powers(relation, 1 / ratio(relation))));
        }
        World above =
                new World(name, powers(relation, CLEARLY * relation.bounds().high()));
        double low = relation.bounds().low();
        return low > 0 ? List.of(above, new World(name, powers(relation, low / CLEARLY))) : List.of(above);
    }

    /** The direction is as said, but the size is not. */
    private static List<World> missed(Relation relation) {
        List<World> worlds = new ArrayList<>();
        if (relation instanceof Apart apart) {
            if (apart.lowNanos() > 0) {
                worlds.add(apart("too little", apart, apart.lowNanos() / 2));
            }
            if (Double.isFinite(apart.highNanos())) {
                worlds.add(apart("too much", apart, CLEARLY * apart.highNanos()));
            }
        } else if (relation instanceof Greater || relation instanceof Ratio) {
            double low = relation.bounds().low();
            double high = relation.bounds().high();
            if (low > 1 + Margin.USUAL) {
                worlds.add(new World("too little", powers(relation, Math.sqrt(low))));
            }
            if (Double.isFinite(high)) {
                worlds.add(new World("too much", powers(relation, CLEARLY * high)));
            }
        }
        return worlds;
    }

    /** One world, except for the left side of the claim's last comparison, which is of another one. */
    private static ToDoubleFunction<Trial> exceptOne(
            Claim claim, Profile profile, GradedClaim holds, World world, World other) {
        int last = steps(claim.relation()).size() - 1;
        GradedClaim.ClaimComparison comparison =
                holds.comparisons().get(holds.comparisons().size() - 1);
        Trial one = profile.trials.stream()
                .filter(trial -> isDividend(claim, trial)
                        && step(claim, trial).equals(OptionalInt.of(last))
                        && (comparison.left() + "/").startsWith(trial.method() + "/")
                        && trial.condition()
                                .byFactor()
                                .entrySet()
                                .containsAll(comparison.condition().byFactor().entrySet()))
                .findFirst()
                .orElseThrow();
        ToDoubleFunction<Trial> others = world.of(claim);
        return trial -> trial.equals(one) ? other.figures.get(last) : others.applyAsDouble(trial);
    }

    /** The same claim in the other direction; empty if it has none. */
    private static Optional<Claim> opposite(Claim claim) {
        Relation relation = claim.relation();
        Relation opposite;
        if (relation instanceof Greater greater) {
            opposite = new Greater(greater.than(), greater.greater(), greater.by());
        } else if (relation instanceof Apart apart) {
            opposite = new Apart(apart.than(), apart.greater(), apart.lowNanos(), apart.highNanos());
        } else if (relation instanceof Ordered ordered) {
            List<Selection> falling = new ArrayList<>(ordered.rising());
            Collections.reverse(falling);
            opposite = new Ordered(falling);
        } else if (relation instanceof Within within && within.bounds().low() == 0) {
            opposite = new Within(within.to(), within.of(), within.bounds());
        } else {
            return Optional.empty();
        }
        return Optional.of(new Claim(
                claim.id() + "-in-the-other-direction",
                claim.says(),
                claim.source(),
                claim.metric(),
                claim.operation(),
                claim.effect(),
                opposite,
                claim.where(),
                claim.given(),
                claim.holds()));
    }

    private static double ratio(Relation relation) {
        double low = relation.bounds().low();
        double high = relation.bounds().high();
        if (relation instanceof Within) {
            return low == 0 ? 1 / (CLEARLY * high) : 1;
        }
        return Double.isFinite(high) ? Math.sqrt(low * high) : CLEARLY * low;
    }

    private static double nanos(Apart apart) {
        return Double.isFinite(apart.highNanos())
                ? (apart.lowNanos() + apart.highNanos()) / 2
                : CLEARLY * Math.max(1000, apart.lowNanos());
    }

    /** The smaller figure is ten times the difference in the middle of the range. */
    private static World apart(String name, Apart apart, double nanos) {
        double less = 10 * nanos(apart);
        return World.of(name, less + Math.max(0, -nanos), less + Math.max(0, nanos));
    }

    /** Each step is the one before it times the ratio. */
    private static List<Double> powers(Relation relation, double ratio) {
        return IntStream.range(0, steps(relation).size())
                .mapToObj(step -> figure(relation) * Math.pow(ratio, step))
                .toList();
    }

    /** What a figure without a difference is: a ratio is 1. */
    private static double figure(Relation relation) {
        return relation instanceof Ratio ? 1 : FIGURE;
    }

    // ---- what a claim compares

    /** From the least figure to the greatest, as the claim has it. */
    private static List<Selection> steps(Relation relation) {
        if (relation instanceof Ordered ordered) {
            return ordered.rising();
        }
        Claim.Sides sides = relation.sides().get(0);
        return List.of(sides.right(), sides.left());
    }

    /** The last step that a trial is in; empty if it is in none. */
    private static OptionalInt step(Claim claim, Trial trial) {
        List<Selection> steps = steps(claim.relation());
        return IntStream.range(0, steps.size())
                .filter(step -> accepts(steps.get(step), trial))
                .max();
    }

    private static boolean isCompared(Claim claim, Trial trial) {
        return accepts(claim.where(), trial)
                && claim.effect()
                        .map(effect -> accepts(effect.of(), trial) || accepts(effect.to(), trial))
                        .orElseGet(() -> step(claim, trial).isPresent());
    }

    /** Whether the trial's figure itself is compared, or the dividend of an effect. */
    private static boolean isDividend(Claim claim, Trial trial) {
        return claim.effect().map(effect -> accepts(effect.of(), trial)).orElse(true);
    }

    private static boolean accepts(Selection selection, Trial trial) {
        return selection.accepts(trial.method(), trial.levels());
    }

    private static List<Study> profiles(String study) {
        return PROFILES.computeIfAbsent(
                study,
                name -> Studies.describe().stream()
                        .filter(description -> description.name().equals(name))
                        .flatMap(description -> description.profiles().stream())
                        .map(profile -> Studies.read(name, Factors.VOCABULARY, Optional.of(profile)))
                        .toList());
    }

    // ---- claims that cannot fail are found

    private static final String METHODS = "study: small\nmetric: throughput\nbaseline: plain\n"
            + "methods: {plain: {}, gzip: {codec: gzip}, lz4: {codec: lz4}}\n"
            + "schedule: {rounds: 10, forks: 5, window: 1s, warm-up: 0s, seed: 1}\n";

    /** A size that is not measured, a figure that such trials do not have, and an operation that they do not do. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "greater: {method: lz4}, than: {method: plain}, where: {size: 1MB}",
                "metric: round-trips, greater: {method: lz4}, than: {method: plain}",
                "operation: encode, greater: {method: lz4}, than: {method: plain}",
                "effect: {of: {method: lz4}, to: {method: plain}}, ordered: [{size: 4KB}, {size: 1MB}]",
                "metric: read-to-inflate, ratio: {method: lz4}, by: [2, 3]"
            })
    void aClaimThatNoProfileCanTestIsFound(String relation) {
        Study study = small(relation);

        assertThatThrownBy(() -> testing(study.claims().get(0), List.of(study)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("profiles that test the claim it");
    }

    /**
     * A window of a given time always takes that time, a difference of times in two blocks has no interval, and a range
     * without width includes none.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "metric: elapsed, greater: {method: lz4}, than: {method: plain}",
                "metric: p50, greater: {working-set: 4}, than: {working-set: fits}, by: [3us, 9us]",
                "greater: {method: lz4}, than: {method: plain}, by: [1.2, 1.2]",
                "greater: {method: [lz4, plain]}, than: {method: '*'}"
            })
    void aClaimThatCannotHoldIsFound(String relation) {
        Study study = small(relation);
        Claim claim = study.claims().get(0);

        assertThat(testing(claim, List.of(study)))
                .singleElement()
                .satisfies(profile -> assertThatThrownBy(() -> check(claim, profile))
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContaining("it in profile"));
    }

    private static Study small(String relation) {
        return new StudyReader(Factors.VOCABULARY)
                .read(
                        METHODS
                                + "conditions: [{workload: fetch, dataset: sites, size: 4KB, rows: 9000,"
                                + " working-set: [fits, 4]}]\n"
                                + "claims: [{id: it, says: so, " + relation + "}]\n",
                        "small.yaml",
                        Optional.empty());
    }
}
