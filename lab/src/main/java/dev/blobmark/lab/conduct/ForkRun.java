package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.ServerSession;
import dev.blobmark.lab.fork.Fork;
import dev.blobmark.lab.machine.KeepAwake;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.plan.Block;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.plan.StoreDesign;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.store.DowngradeException;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.mysql.client.UnavailableException;
import dev.blobmark.mysql.server.Incident;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Runs one fork. Before each trial it prepares the table and waits until the server's load is low. After it, it checks
 * what the trial has written, and records the sample.
 *
 * @param visits how often a trial is visited in a round of visits; once if it is missing
 */
record ForkRun(
        RunContext run,
        StartedServers servers,
        Block block,
        ForkPlan plan,
        Map<Trial, Integer> visits,
        TrialTables tables)
        implements Fork.Interference {

    void measure() throws IOException, InterruptedException {
        Pin pin = run.plan().options().precautions().pin();
        try (Fork fork = new Fork(plan, run.plan().options().launch().prefixedBy(pin.clientPrefix()))) {
            run.stop().setFork(fork);
            run.stop().check();
            fork.forEach(
                    this,
                    trial -> {
                        run.awake().ifPresent(KeepAwake::verifyAlive);
                        prepare(trial);
                        fork.setServerPids(servers.pidsOf(trial));
                        run.listener()
                                .trialStarted(
                                        trial,
                                        name(trial),
                                        run.plan().study().schedule().rounds());
                        if (run.plan().costs().isVisited(trial)) {
                            run.listener().workDone(run.plan().costs().opening(trial));
                        }
                    },
                    (trial, sample, latency) -> {
                        if (sample.outcome() instanceof Outcome.Failed) {
                            run.stop().check(); // trials fail when the run is stopped
                        }
                        if (run.record().manifest().machine().hosts().isEmpty()) {
                            fork.pids().forEach(pin::verifyClient);
                        }
                        finish(
                                trial,
                                surviving(trial, run.record().withContradiction(trial, sample), latency),
                                latency);
                        if (sample.visits().isEmpty()) { // otherwise visited() has reported it round by round
                            run.listener()
                                    .workDone(run.plan().costs().measuring(trial, visits.getOrDefault(trial, 1), 1));
                        }
                    });
        } catch (IOException e) {
            run.stop().check();
            throw e;
        } finally {
            run.stop().setFork(null);
        }
    }

    @Override
    public void await(Trial trial) throws InterruptedException {
        run.awake().ifPresent(Block.writesToDisk(trial) ? KeepAwake::rest : KeepAwake::resume);
        if (servers.mysql().isPresent()) {
            servers.mysql().get().awaitLowLoad(run.stop()::check);
        }
    }

    @Override
    public Optional<String> disturbance() {
        return servers.mysql().flatMap(ServerSession::disturbance);
    }

    @Override
    public List<Incident> incidents() {
        return servers.mysql().map(ServerSession::incidents).orElse(List.of());
    }

    @Override
    public void visited(List<Trial> open, int n, int rounds) {
        run.listener().stepStarted("measuring " + open.size() + " trials in turns, visit " + n + " of " + rounds);
        open.forEach(trial ->
                run.listener().workDone(run.plan().costs().windows(trial, visits.getOrDefault(trial, 1)) / rounds));
    }

    private String name(Trial trial) {
        return run.plan().nameOf(trial);
    }

    /** Creates the table of a writing trial, and restarts the server before a cold one. */
    private void prepare(Trial trial) {
        servers.mysql().ifPresent(ServerSession::recover);
        if (Block.isCold(trial)) {
            run.listener().stepStarted("restarting the server for " + name(trial));
            restart();
        }
        if (StoreDesign.isOwnedBy(trial)) {
            run.listener().stepStarted("creating the table of " + name(trial));
            createTable(trial);
        } else if (StoreDesign.isUsedBy(trial)) {
            restore(trial);
        }
    }

    private void createTable(Trial trial) {
        try {
            Manifest before = run.record().manifest();
            Manifest after =
                    before.with(tables.prepare(trial, bytes -> run.stop().check()));
            if (after != before) {
                run.record().update(manifest -> after);
                run.record().write();
            }
        } catch (UnavailableException e) {
            throw new Fork.NotReadyException(new Outcome.Unavailable(e.getMessage()), e);
        } catch (DowngradeException | WrongValueException | SQLException e) {
            run.stop().check();
            servers.sessionOf(trial).requireServer("creating the table of " + name(trial), e);
            throw new Fork.NotReadyException(new Outcome.Failed(e.getMessage()), e);
        }
    }

    /** Loads a trial's store again if its server is in memory and was restarted. */
    private void restore(Trial trial) {
        try {
            if (servers.sessionOf(trial).restore(block.tableName(StoreDesign.of(trial)))) {
                run.listener()
                        .noticeIssued(product(trial) + " had lost the store of " + trial.method()
                                + "; it has been loaded again");
            }
        } catch (WrongValueException | SQLException | JedisException e) {
            run.stop().check();
            throw new Fork.NotReadyException(new Outcome.Failed(e.getMessage()), e);
        }
    }

    private static String product(Trial trial) {
        return trial.design().get(StoreKinds.FACTOR).product();
    }

    private void restart() {
        ServerSession mysql = servers.mysql().orElseThrow();
        try {
            mysql.restart(block.environment());
        } catch (SQLException e) {
            throw mysql.lost("it was restarted", e.getMessage());
        }
    }

    /**
     * The sample; if it failed because its server was lost, with an event about that.
     *
     * @throws dev.blobmark.mysql.server.ServerException if the MySQL server is lost; the sample is recorded before
     */
    private Sample surviving(Trial trial, Sample sample, Map<String, Histogram> latency) {
        if (!(sample.outcome() instanceof Outcome.Failed failed)) {
            return sample;
        }
        Optional<ServerSession> lost = servers.mysql().filter(mysql -> !mysql.isAlive());
        if (lost.isPresent()) {
            run.record().add(sample.withEvent("the server was lost during the trial"), latency);
            throw lost.get().lost("measuring " + name(trial), failed.reason());
        }
        return StoreDesign.isUsedBy(trial) && !servers.sessionOf(trial).isAlive()
                ? sample.withEvent(product(trial) + " was lost during the trial")
                : sample;
    }

    /** Records a sample, after a check of what a writing trial has written. */
    private void finish(Trial trial, Sample sample, Map<String, Histogram> latency) {
        if (!StoreDesign.isOwnedBy(trial)) {
            Sample checked = timed(trial, verified(trial, sample));
            run.record().add(checked, checked.operations().isEmpty() ? Map.of() : latency);
            return;
        }
        try {
            run.record().add(tables.finish(trial, sample, plan.seedOf(trial, sample.round())), latency);
        } catch (WrongValueException | SQLException e) {
            servers.sessionOf(trial).requireServer("checking what " + name(trial) + " wrote", e);
            Outcome failed = new Outcome.Failed(e.getMessage());
            run.record()
                    .add(Sample.notMeasured(trial, sample.block(), sample.fork(), sample.round(), failed), Map.of());
        }
    }

    private Sample timed(Trial trial, Sample sample) {
        try {
            return tables.timed(trial, sample);
        } catch (SQLException e) {
            servers.sessionOf(trial).requireServer("timing the pages that " + name(trial) + " reads", e);
            return sample.withEvent("reading and inflating a page was not timed: " + e.getMessage());
        }
    }

    /** The sample of a trial that only reads. If a node was lost during the trial, all values are read back. */
    private Sample verified(Trial trial, Sample sample) {
        if (!sample.flags().contains(Sample.DEGRADED) || !StoreDesign.isUsedBy(trial)) {
            return sample;
        }
        try {
            tables.readBack(trial);
            return sample;
        } catch (WrongValueException | SQLException e) {
            servers.sessionOf(trial).requireServer("reading back what " + trial.method() + " reads", e);
            return Sample.notMeasured(
                    trial, plan.block(), plan.fork(), sample.round(), new Outcome.Failed(e.getMessage()));
        }
    }
}
