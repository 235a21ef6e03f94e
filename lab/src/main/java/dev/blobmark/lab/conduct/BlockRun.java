package dev.blobmark.lab.conduct;

import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.machine.CompetingLoad;
import dev.blobmark.lab.machine.KeepAwake;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.plan.Block;
import dev.blobmark.lab.plan.CostModel;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.plan.ForkSchedule;
import dev.blobmark.lab.plan.Processes;
import dev.blobmark.lab.plan.StoreDesign;
import dev.blobmark.lab.plan.ValuesSource;
import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Trial;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Loads a block, measures it in forks, and drops it. Each fork is a {@link ForkRun}, which measures one trial at a
 * time.
 */
final class BlockRun {

    private final RunContext run;
    private final StartedServers servers;
    private final Block block;
    private final ForkSchedule schedule;
    private final List<ForkPlan.PlannedTrial> planned;
    private final TrialTables tables;

    private BlockRun(
            RunContext run,
            StartedServers servers,
            Block block,
            List<ForkPlan.PlannedTrial> planned,
            TrialTables tables) {
        this.run = run;
        this.servers = servers;
        this.block = block;
        this.planned = planned;
        this.tables = tables;
        schedule = run.record().schedule();
    }

    /** Measures the rest of a block, in as many forks as are needed. */
    static void all(RunContext run, StartedServers servers, Block block)
            throws IOException, SQLException, InterruptedException {
        Set<Trial> remaining = run.record().schedule().remaining(block).rounds().keySet();
        loaded(run, servers, block, remaining, 0, BlockRun::measureForks);
        run.record()
                .update(manifest ->
                        manifest.withPrecision(run.record().schedule().precision(block)));
    }

    /** Measures the rest of one fork of a block. */
    static void fork(RunContext run, StartedServers servers, Block block, int fork)
            throws IOException, SQLException, InterruptedException {
        Set<Trial> remaining = run.record().schedule().remaining(block, fork);
        int forks = run.plan().study().schedule().forks();
        loaded(run, servers, block, remaining, fork, loaded -> loaded.measureFork(fork, forks));
    }

    private interface BlockWork {
        void of(BlockRun loaded) throws IOException, InterruptedException;
    }

    private static void loaded(
            RunContext run, StartedServers servers, Block block, Set<Trial> remaining, int fork, BlockWork measuring)
            throws IOException, SQLException, InterruptedException {
        if (remaining.isEmpty()) {
            return;
        }
        StudyPlan plan = run.plan();
        String serverName = plan.serverName(block.environment());
        Loading loading = new Loading(
                plan::values,
                plan.sharedValues(),
                run.scratch(),
                serverName,
                plan.costs(),
                run.listener(),
                new LoadingRecord(run, fork),
                servers.mysql(),
                servers.sessions());
        run.awake().ifPresent(KeepAwake::rest);
        // loading with the trials' share of a processor would take too long
        servers.rival().ifPresent(CompetingLoad::rest);
        Loading.Loaded loaded = loading.load(block.only(remaining));
        servers.rival().ifPresent(CompetingLoad::resume);
        TrialTables tables = new TrialTables(
                serverName,
                block,
                loaded.values(),
                servers.sessions(),
                plan.study().metric() == Metric.DISK);
        List<ForkPlan.PlannedTrial> planned =
                loaded.planned().stream().map(servers.proxies()::inFrontOf).toList();
        measuring.of(new BlockRun(run, servers, block, planned, tables));
        try {
            loaded.drop();
        } catch (SQLException e) {
            servers.mysql().ifPresent(mysql -> mysql.requireServer("dropping the tables of a block", e));
            throw e;
        }
        EncodedValues.prune(plan.sharedValues());
    }

    /** Writes the results of loading to the run's record. */
    private record LoadingRecord(RunContext run, int fork) implements Loading.Events {

        @Override
        public void note(ValuesSource source, Values values) {
            run.record().addValues(source, values);
        }

        @Override
        public void note(LoadedStore store) {
            run.record().update(manifest -> manifest.with(store));
        }

        @Override
        public void write() {
            run.record().write();
        }

        @Override
        public void contradicted(StoreDesign store, String event) {
            run.record().addContradiction(store, event);
        }

        @Override
        public void notLoaded(Block block, StoreDesign store, Outcome why) {
            int round = run.plan().study().schedule().roundsOf(fork).get(0);
            run.record().addNotLoaded(block, store, round, fork, why);
        }

        @Override
        public void stopIfInterrupted() {
            run.stop().check();
        }
    }

    private void measureForks() throws IOException, InterruptedException {
        int expected = schedule.forksWanted(block, 0);
        for (int fork = 0; !schedule.due(block, fork).isEmpty(); fork++) {
            expected = measureFork(fork, expected);
        }
    }

    /**
     * Runs a fork, or the rest of one that was stopped.
     *
     * @param expected number of forks that the listener expects
     * @return number of forks that it expects now
     */
    private int measureFork(int fork, int expected) throws IOException, InterruptedException {
        Schedule studySchedule = run.plan().study().schedule();
        Set<Trial> due = schedule.due(block, fork);
        List<Integer> rounds = studySchedule.roundsOf(fork);
        Map<Trial, Integer> visits = schedule.visits(block, fork);
        ForkPlan plan = ForkPlan.of(
                block.number(),
                fork,
                studySchedule,
                planned.stream()
                        .map(trial -> trial.withVisits(visits.getOrDefault(trial.trial(), 1)))
                        .toList(),
                (trial, round) -> due.contains(trial) && !schedule.has(block, trial, round));
        if (plan.rounds().isEmpty()) {
            return expected;
        }
        int wanted = Math.max(expected, schedule.forksWanted(block, fork));
        if (wanted > expected) {
            run.listener().workAdded((wanted - expected) * expectedSeconds(plan));
        }
        if (fork >= studySchedule.forks() && !schedule.hasBegun(block, fork)) {
            long added = (long) due.size() * rounds.size();
            run.record().update(manifest -> manifest.planning(manifest.plan().samples() + added));
            run.record().write();
        }
        boolean isPartlyDone = planned.stream()
                .map(ForkPlan.PlannedTrial::trial)
                .filter(due::contains)
                .anyMatch(trial -> rounds.stream().anyMatch(round -> schedule.has(block, trial, round)));
        run.record()
                .setRestartEvent(
                        isPartlyDone ? Optional.of("fork " + fork + " was stopped and restarted") : Optional.empty());
        run.listener().workDone(forkSeconds(plan));
        new ForkRun(run, servers, block, plan, visits, tables).measure();
        run.record().setRestartEvent(Optional.empty());
        return wanted;
    }

    private double expectedSeconds(ForkPlan plan) {
        return forkSeconds(plan)
                + plan.rounds().stream()
                        .flatMap(round -> round.order().stream())
                        .mapToDouble(number -> run.plan()
                                .costs()
                                .measuring(
                                        plan.trials().get(number).trial(),
                                        plan.trials().get(number).visits(),
                                        1))
                        .sum();
    }

    private static double forkSeconds(ForkPlan plan) {
        return CostModel.FORK_SECONDS
                * Processes.startedFor(
                        plan.trials().stream().map(ForkPlan.PlannedTrial::trial).toList());
    }
}
