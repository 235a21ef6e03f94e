package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.ServerSession;
import dev.blobmark.lab.admission.StoreServers;
import dev.blobmark.lab.admission.StoreSession;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.machine.CompetingLoad;
import dev.blobmark.lab.machine.KeepAwake;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.plan.CostModel;
import dev.blobmark.lab.server.own.Launch;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Closing;
import dev.blobmark.mysql.server.Restartable;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The servers on which blocks of one environment are measured, with a session of the run on each.
 *
 * @param sessions on all servers that hold stores of the study, by kind of store
 * @param rival the load that shares the server's processor, if the environment has one
 */
record StartedServers(
        Server server, ServerSession session, Map<StoreKind, StoreSession> sessions, Optional<CompetingLoad> rival) {

    /** The session on the server of a trial's store. */
    StoreSession sessionOf(Trial trial) {
        return sessions.get(trial.design().get(StoreKinds.FACTOR));
    }

    interface Work {
        void on(StartedServers servers) throws IOException, SQLException, InterruptedException;
    }

    /**
     * Starts the servers or connects to them, checks them, does the work, and stops those that it started.
     *
     * @param checkMachine is run when the server has started
     * @throws dev.blobmark.mysql.server.ServerException if a server cannot be started or reached
     * @throws dev.blobmark.mysql.admission.AdmissionException if a server does not admit the run
     */
    static void with(RunContext run, Environment environment, Runnable checkMachine, Work work)
            throws IOException, SQLException, InterruptedException {
        RunOptions options = run.plan().options();
        Suitability suitability = new Suitability(run.plan());
        Pin shared = options.precautions().pin();
        // a server that shares a processor with a load is pinned to that one
        Pin pin = environment.cpu().isWhole() ? shared : shared.withServerOnOne();
        String name = run.plan().serverName(environment);
        run.listener()
                .stepStarted((options.server().isOwn() ? "starting" : "connecting to") + " the server"
                        + name.substring(StudyPlan.MYSQL.length()));
        run.awake().ifPresent(KeepAwake::rest);
        Path place = run.plan().directoryFor(environment.storage());
        Environment placed = environment.in(place);
        try (Server server = options.server()
                        .open(
                                options.cache(),
                                ServerOptions.of(placed)
                                        .withTls(run.plan().needsTls())
                                        .with(new Launch(Optional.of(place), pin.serverPrefix())));
                StoreServersOpened storeServers = StoreServersOpened.of(
                        run.plan(), placed, new Launch(Optional.of(place), shared.serverPrefix()));
                // after the start of the server, which needs seconds of CPU time to create its system tables
                CompetingLoad rival = environment.cpu().isWhole()
                        ? null
                        : CompetingLoad.start(
                                pin.server().orElseThrow().cpus().first(),
                                environment.cpu().share().doubleValue());
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                ServerSession session =
                        new ServerSession(server, connection, options.terms(), run.listener()::noticeIssued)) {
            run.stop().check();
            Suitability.requirePinned(server, pin);
            suitability.requireEncryption(server);
            run.record().setRival(Optional.ofNullable(rival).map(CompetingLoad::toString));
            checkMachine.run();
            if (server.isOwn()) {
                environment.setLayoutVariables(connection);
            }
            ServerIdentity identity = ServerIdentity.read(connection);
            if (server instanceof Restartable) {
                placed.verify(identity.variables());
            }
            run.record().addServer(name, server, identity);
            storeServers.begin(run);
            Map<StoreKind, StoreSession> sessions = new LinkedHashMap<>(Map.of(StoreKinds.MYSQL, session));
            sessions.putAll(storeServers.sessions());
            session.begin(
                    identity.variables(),
                    run.plan()
                            .encodedVolume(
                                    run.record().schedule(),
                                    server,
                                    identity,
                                    run.scratch(),
                                    bytes -> run.stop().check()),
                    options.program().version(),
                    run.record().name(),
                    run.stop());
            run.listener().workDone(CostModel.SERVER_START_SECONDS);
            run.record().addUnavailable();
            try {
                work.on(new StartedServers(server, session, sessions, Optional.ofNullable(rival)));
            } finally {
                run.record().keepLogs(server.logs());
            }
        } finally {
            run.record().setRival(Optional.empty());
        }
    }

    /** The servers of a study's stores outside MySQL, with the run's sessions on them. */
    record StoreServersOpened(Map<StoreKind, StoreServers.Opened> byKind, Map<StoreKind, StoreSession> sessions)
            implements AutoCloseable {

        static StoreServersOpened of(StudyPlan plan, Environment environment, Launch launch) {
            StoreServersOpened opened = new StoreServersOpened(new LinkedHashMap<>(), new LinkedHashMap<>());
            try {
                plan.options().storeServers().forEach((kind, source) -> {
                    if (plan.needs(kind)) {
                        opened.byKind.put(kind, source.open(plan.options().cache(), environment, launch));
                    }
                });
                return opened;
            } catch (RuntimeException e) {
                try {
                    opened.close();
                } catch (RuntimeException notClosed) {
                    e.addSuppressed(notClosed);
                }
                throw e;
            }
        }

        /** Starts the run's session on each server. */
        void begin(RunContext run) throws SQLException {
            for (Map.Entry<StoreKind, StoreServers.Opened> entry : byKind.entrySet()) {
                Server server = entry.getValue().server();
                StoreSession session = entry.getValue().begin(run.record().name(), run.stop());
                sessions.put(entry.getKey(), session);
                run.record()
                        .addServer(
                                entry.getKey().word(),
                                server.kind(),
                                server.endpoint(),
                                session.identity(),
                                Optional.empty());
            }
        }

        /** Closes servers before sessions, because sessions on servers that Blobmark started need not drop anything. */
        @Override
        public void close() {
            List<Runnable> steps = new ArrayList<>();
            byKind.values().forEach(server -> steps.add(server::close));
            sessions.values().forEach(session -> steps.add(session::close));
            Closing.all(steps, Runnable::run);
        }
    }
}
