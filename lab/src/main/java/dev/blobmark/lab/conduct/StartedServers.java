package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.ServerSession;
import dev.blobmark.lab.admission.StoreServers;
import dev.blobmark.lab.admission.StoreSession;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.machine.CompetingLoad;
import dev.blobmark.lab.machine.KeepAwake;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.plan.CostModel;
import dev.blobmark.lab.server.Closing;
import dev.blobmark.lab.server.Restartable;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.server.own.Launch;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Trial;
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
 * The servers that blocks of one environment are measured on, with the run let in on each.
 *
 * @param sessions on all servers that hold stores of the study, by their kinds
 * @param rival the load that shares the server's processor, where the environment wants one
 */
record StartedServers(
        Server server, ServerSession session, Map<StoreKind, StoreSession> sessions, Optional<CompetingLoad> rival) {

    /** The session on the server that holds the store of a trial. */
    StoreSession sessionOf(Trial trial) {
        return sessions.get(trial.design().get(StoreKinds.FACTOR));
    }

    interface Work {
        void on(StartedServers servers) throws IOException, SQLException, InterruptedException;
    }

    /**
     * Starts the servers or connects to them, checks them, does the work, and stops what was started.
     *
     * @param look at the machine, once the server is up
     * @throws dev.blobmark.lab.server.ServerException if there is no server to be had
     * @throws dev.blobmark.lab.admission.AdmissionException if the run cannot be let in
     */
    static void with(RunContext run, Environment environment, Runnable look, Work work)
            throws IOException, SQLException, InterruptedException {
        RunOptions options = run.plan().options();
        Suitability suitability = new Suitability(run.plan());
        Pin shared = options.precautions().pin();
        // a server that shares a processor with a load is held to that one
        Pin pin = environment.cpu().isWhole() ? shared : shared.withServerOnOne();
        String name = run.plan().serverName(environment);
        run.listener().stepStarted("starting the server" + name.substring(StudyPlan.MYSQL.length()));
        run.awake().ifPresent(KeepAwake::rest);
        Path place = run.plan().directoryFor(environment.storage());
        Environment here = environment.in(place);
        try (Server server = options.server()
                        .open(
                                options.cache(),
                                ServerOptions.of(here)
                                        .withTls(run.plan().needsTls())
                                        .with(new Launch(Optional.of(place), pin.serverPrefix())));
                StoreServersOpened others =
                        StoreServersOpened.of(run.plan(), here, new Launch(Optional.of(place), shared.serverPrefix()));
                // after the start of the server, which makes its system tables in seconds of CPU time
                CompetingLoad rival = environment.cpu().isWhole()
                        ? null
                        : CompetingLoad.start(
                                pin.server().orElseThrow().cpus().first(),
                                environment.cpu().share().doubleValue());
                Connection connection = Driver.connectForLoading(server.endpoint(), "");
                ServerSession session =
                        new ServerSession(server, connection, options.terms(), run.listener()::noticeIssued)) {
            run.stop().check();
            Suitability.requirePinned(server, pin);
            suitability.requireEncryption(server);
            run.record().rival(Optional.ofNullable(rival).map(CompetingLoad::toString));
            look.run();
            if (server.isOwn()) {
                environment.setLayoutVariables(connection);
            }
            ServerIdentity identity = ServerIdentity.read(connection);
            if (server instanceof Restartable) {
                here.verify(identity.variables());
            }
            run.record().meet(name, server, identity);
            others.begin(run);
            Map<StoreKind, StoreSession> sessions = new LinkedHashMap<>(Map.of(StoreKinds.MYSQL, session));
            sessions.putAll(others.sessions());
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
            run.record().unavailable();
            try {
                work.on(new StartedServers(server, session, sessions, Optional.ofNullable(rival)));
            } finally {
                run.record().keepLogs(server.logs());
            }
        } finally {
            run.record().rival(Optional.empty());
        }
    }

    /** The servers of stores outside MySQL that a study needs, with the run's sessions on them. */
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
            for (Map.Entry<StoreKind, StoreServers.Opened> other : byKind.entrySet()) {
                Server server = other.getValue().server();
                StoreSession session = other.getValue().begin(run.record().name(), run.stop());
                sessions.put(other.getKey(), session);
                run.record()
                        .meet(
                                other.getKey().word(),
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
