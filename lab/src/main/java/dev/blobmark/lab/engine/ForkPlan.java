package dev.blobmark.lab.engine;

import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * What one fork is to measure.
 *
 * @param block number of the block
 * @param fork number within the block: each block has fresh JVMs. All JVMs of one number are one fork, statistically one
 *     unit: those of several processes of a trial, and those of the methods' levels of {@link Jvm}
 * @param rounds in the order in which to run them
 */
public record ForkPlan(
        int block,
        int fork,
        long seed,
        Window window,
        Duration warmUp,
        List<PlannedTrial> trials,
        List<PlannedRound> rounds) {

    /**
     * A trial and what it works on.
     *
     * @param valuesFile see {@link dev.blobmark.lab.store.EncodedValues}
     * @param place empty for a trial without a table
     */
    public record PlannedTrial(Trial trial, String valuesFile, Optional<Place> place) {

        /** Where the host keeps encoded values. */
        String valuesDirectory() {
            return Path.of(valuesFile).getParent().getParent().toString();
        }

        /** What the values are called on any host: by their digest, codec and its version. */
        String values() {
            Path file = Path.of(valuesFile);
            return file.getParent().getFileName() + "/" + file.getFileName();
        }
    }

    /** A loaded table. */
    public record Place(Endpoint endpoint, String schema, String table, OptionalLong diskBytes) {}

    /** The order of one round: numbers of trials. */
    public record PlannedRound(int round, List<Integer> order) {}

    /** Plans for all forks of a block: rounds dealt out evenly, the trials of each in an order of its own. */
    public static List<ForkPlan> spread(int block, Schedule schedule, List<PlannedTrial> trials) {
        List<ForkPlan> plans = new ArrayList<>();
        for (int fork = 0; fork < schedule.forks(); fork++) {
            List<PlannedRound> rounds = new ArrayList<>();
            for (int round = fork; round < schedule.rounds(); round += schedule.forks()) {
                List<Integer> order = new ArrayList<>(
                        IntStream.range(0, trials.size()).boxed().toList());
                Collections.shuffle(order, new Random(Seeds.mix(schedule.seed(), block, round)));
                rounds.add(new PlannedRound(round, order));
            }
            plans.add(new ForkPlan(block, fork, schedule.seed(), schedule.window(), schedule.warmUp(), trials, rounds));
        }
        return plans;
    }
}
