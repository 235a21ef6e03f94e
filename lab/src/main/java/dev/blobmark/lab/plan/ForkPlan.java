package dev.blobmark.lab.plan;

import dev.blobmark.lab.fork.Fork;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What one fork is to measure.
 *
 * @param block number of the block
 * @param fork number within the block: each block has fresh JVMs. All JVMs of one number are one fork, statistically one
 *     unit: those of several processes of a trial, and those of the methods' levels of {@link Jvm}
 * @param visits how trials that stay open are visited in each round; empty where all have whole windows
 * @param groups those trials by their numbers, as far as they are open at the same time
 * @param rounds in the order in which to run them
 */
public record ForkPlan(
        int block,
        int fork,
        long seed,
        Window window,
        Duration warmUp,
        Optional<Schedule.Visits> visits,
        List<PlannedTrial> trials,
        List<List<Integer>> groups,
        List<PlannedRound> rounds) {

    /**
     * A trial and what it works on.
     *
     * @param valuesFile see {@link dev.blobmark.lab.store.EncodedValues}
     * @param place empty for a trial without a table
     * @param visits how often it is visited in a round of visits, if it is, at least 1
     */
    public record PlannedTrial(Trial trial, String valuesFile, Optional<Place> place, int visits) {

        /** One that is visited once in a round, if it is visited. */
        public PlannedTrial(Trial trial, String valuesFile, Optional<Place> place) {
            this(trial, valuesFile, place, 1);
        }

        /** The same, visited more often. */
        public PlannedTrial visited(int times) {
            return new PlannedTrial(trial, valuesFile, place, times);
        }

        /** Where the host keeps encoded values. */
        public String valuesDirectory() {
            return Path.of(valuesFile).getParent().getParent().toString();
        }

        /** What the values are called on any host: by their digest, codec and its version. */
        public String values() {
            Path file = Path.of(valuesFile);
            return file.getParent().getFileName() + "/" + file.getFileName();
        }
    }

    /**
     * A loaded table.
     *
     * @param others further servers that have the same table: the SQL nodes of a cluster, over which workers are spread
     * @param serverPids see {@link Fork#serverIs}
     */
    public record Place(
            Endpoint endpoint,
            List<Endpoint> others,
            String schema,
            String table,
            DiskSpace disk,
            List<Long> serverPids) {

        public Place {
            others = List.copyOf(others);
            serverPids = List.copyOf(serverPids);
        }

        /** A table of a server that runs elsewhere, or is not ours. */
        public Place(Endpoint endpoint, String schema, String table, DiskSpace disk) {
            this(endpoint, List.of(), schema, table, disk, List.of());
        }

        /** The server alone. */
        public Place withoutTable() {
            return new Place(endpoint, others, "", "", DiskSpace.UNKNOWN, serverPids);
        }

        public Place on(List<Long> pids) {
            return new Place(endpoint, others, schema, table, disk, pids);
        }

        /** Of all servers that have the table, the one of the trial's workers first. */
        public List<Endpoint> endpoints() {
            return Stream.concat(Stream.of(endpoint), others.stream()).toList();
        }
    }

    /** The order of one round: numbers of trials. */
    public record PlannedRound(int round, List<Integer> order) {}

    /** From which all is drawn that a trial leaves to chance in a round. */
    public long seedOf(Trial trial, int round) {
        return Seeds.mix(seed, fork, round, trial.id().hashCode());
    }

    /** Plans for the forks of a block's schedule, with nothing measured yet. */
    public static List<ForkPlan> spread(int block, Schedule schedule, List<PlannedTrial> trials) {
        return IntStream.range(0, schedule.forks())
                .mapToObj(fork -> of(block, fork, schedule, trials, (trial, round) -> true))
                .toList();
    }

    /**
     * What a fork is to measure: in each of its rounds the trials that are due. Rounds go in pairs: the first of two in an order of
     * its own, the second in its reverse, so that no method is ahead of another in all rounds by chance. The order of some trials is that
     * of all, with the others left out: a round that is measured in two parts visits them as one would.
     *
     * @param fork see {@link Schedule#roundsOf}
     */
    public static ForkPlan of(
            int block, int fork, Schedule schedule, List<PlannedTrial> trials, BiPredicate<Trial, Integer> isDue) {
        List<PlannedRound> rounds = new ArrayList<>();
        for (int round : schedule.roundsOf(fork)) {
            Comparator<Integer> drawn = Comparator.comparingLong(number -> Seeds.mix(
                    schedule.seed(),
                    block,
                    round / 2,
                    trials.get(number).trial().id().hashCode()));
            List<Integer> order = IntStream.range(0, trials.size())
                    .filter(number -> isDue.test(trials.get(number).trial(), round))
                    .boxed()
                    .sorted(round % 2 == 0 ? drawn : drawn.reversed())
                    .toList();
            if (!order.isEmpty()) {
                rounds.add(new PlannedRound(round, order));
            }
        }
        List<Trial> all = trials.stream().map(PlannedTrial::trial).toList();
        List<List<Integer>> groups = VisitGroups.of(schedule, all).stream()
                .map(group -> group.stream().map(all::indexOf).toList())
                .toList();
        return new ForkPlan(
                block,
                fork,
                schedule.seed(),
                schedule.window(),
                schedule.warmUp(),
                schedule.visits(),
                trials,
                groups,
                rounds);
    }
}
