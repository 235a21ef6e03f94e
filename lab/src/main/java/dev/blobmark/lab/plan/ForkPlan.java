package dev.blobmark.lab.plan;

import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import dev.blobmark.mysql.server.Endpoint;
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
 * What one fork measures.
 *
 * @param block number of the block
 * @param fork number within the block; forks of different blocks have different JVMs. A fork is one unit for
 *     statistics, even if it has several JVMs: for several processes of a trial, or for several levels of {@link Jvm}
 * @param visits how trials that stay open are visited in each round; empty if all windows are in one piece
 * @param groups trials that are open at the same time, by their index in {@code trials}
 * @param rounds in the order in which they run
 */
public record ForkPlan(
        int block,
        int fork,
        long seed,
        Window window,
        Duration warmUp,
        Optional<Schedule.VisitSchedule> visits,
        List<PlannedTrial> trials,
        List<List<Integer>> groups,
        List<PlannedRound> rounds) {

    /**
     * A trial with its values and its table.
     *
     * @param valuesFile see {@link dev.blobmark.lab.store.EncodedValues}
     * @param place empty for a trial without a table
     * @param visits how often the trial is visited in a round of visits, at least 1
     */
    public record PlannedTrial(Trial trial, String valuesFile, Optional<LoadedTable> place, int visits) {

        /** A trial that is visited once in a round of visits. */
        public PlannedTrial(Trial trial, String valuesFile, Optional<LoadedTable> place) {
            this(trial, valuesFile, place, 1);
        }

        public PlannedTrial withVisits(int times) {
            return new PlannedTrial(trial, valuesFile, place, times);
        }

        /** @param address of a proxy in front of all servers with the table */
        public PlannedTrial behind(Endpoint address) {
            return new PlannedTrial(trial, valuesFile, place.map(table -> table.behind(address)), visits);
        }

        /** The directory for encoded values. */
        public String valuesDirectory() {
            return Path.of(valuesFile).getParent().getParent().toString();
        }

        /** The name of the values on any host: their digest, and the codec with its version. */
        public String values() {
            Path file = Path.of(valuesFile);
            return file.getParent().getFileName() + "/" + file.getFileName();
        }
    }

    /**
     * A loaded table.
     *
     * @param others further servers with the same table: the SQL nodes of a cluster, over which workers are distributed
     * @param serverPids processes of the server, whose time on processors is counted; empty if they are unknown
     * @param proxy what the trial's connections pass through, if it is a proxy of the run
     */
    public record LoadedTable(
            Endpoint endpoint,
            List<Endpoint> others,
            String schema,
            String table,
            DiskSpace disk,
            List<Long> serverPids,
            Optional<Endpoint> proxy) {

        public LoadedTable {
            others = List.copyOf(others);
            serverPids = List.copyOf(serverPids);
        }

        /** A table without a proxy in front of it. */
        public LoadedTable(
                Endpoint endpoint,
                List<Endpoint> others,
                String schema,
                String table,
                DiskSpace disk,
                List<Long> serverPids) {
            this(endpoint, others, schema, table, disk, serverPids, Optional.empty());
        }

        /** A table on a server whose processes are not known. */
        public LoadedTable(Endpoint endpoint, String schema, String table, DiskSpace disk) {
            this(endpoint, List.of(), schema, table, disk, List.of());
        }

        /** The server, without a table. */
        public LoadedTable withoutTable() {
            return new LoadedTable(endpoint, others, "", "", DiskSpace.UNKNOWN, serverPids, proxy);
        }

        public LoadedTable withServerPids(List<Long> pids) {
            return new LoadedTable(endpoint, others, schema, table, disk, pids, proxy);
        }

        /** @param address of a proxy in front of all servers with the table */
        public LoadedTable behind(Endpoint address) {
            return new LoadedTable(endpoint, others, schema, table, disk, serverPids, Optional.of(address));
        }

        /** All servers with the table, {@link #endpoint} first. */
        public List<Endpoint> endpoints() {
            return Stream.concat(Stream.of(endpoint), others.stream()).toList();
        }

        /** Where the trial connects to: the proxy, or all servers with the table. */
        public List<Endpoint> connected() {
            return proxy.map(List::of).orElseGet(this::endpoints);
        }
    }

    /** The order of one round: indexes of trials. */
    public record PlannedRound(int round, List<Integer> order) {}

    /** The seed of all random choices of a trial in a round. */
    public long seedOf(Trial trial, int round) {
        return Seeds.mix(seed, fork, round, trial.id().hashCode());
    }

    /** The plans of all scheduled forks of a block, with nothing measured yet. */
    public static List<ForkPlan> ofAllForks(int block, Schedule schedule, List<PlannedTrial> trials) {
        return IntStream.range(0, schedule.forks())
                .mapToObj(fork -> of(block, fork, schedule, trials, (trial, round) -> true))
                .toList();
    }

    /**
     * The plan of a fork: in each of its rounds, the trials that are due, in shuffled order. Rounds are paired, and the
     * second of a pair has the reverse order of the first, so that no method precedes another in all rounds by chance.
     * Trials that are not due do not change the order of the others, so a resumed round continues in the same order.
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
