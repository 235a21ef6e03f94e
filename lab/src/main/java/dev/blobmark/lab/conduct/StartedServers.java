package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.ServerSession;
import dev.blobmark.lab.admission.StoreServers;
import dev.blobmark.lab.admission.StoreSession;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.machine.CompetingLoad;
import dev.blobmark.lab.machine.KeepAwake;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.plan.CostModel;
import dev.blobmark.lab.plan.StoreDesign;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.mysql.server.Closing;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The servers on which blocks of one environment are measured: those of the kinds of stores that the study has, with a
 * session of the run on each. A study of codecs alone has none.
 *
 * @param mysql the session on the MySQL server
 * @param sessions on all servers that hold stores of the study, by kind of store
 * @param rival the load that shares the server's processor, if the environment has one
 * @param proxies in front of all of them
 */
record StartedServers(
        Optional<ServerSession> mysql,
        Map<StoreKind, StoreSession> sessions,
        Optional<CompetingLoad> rival,
        StartedProxies proxies) {

    /** The session on the server of a trial's store. */
    StoreSession sessionOf(Trial trial) {
        return sessions.get(trial.design().get(StoreKinds.FACTOR));
    }

    /** The processes whose time on processors counts for a trial. */
    List<Long> pidsOf(Trial trial) {
        return StoreDesign.isUsedBy(trial) ? proxies.with(sessionOf(trial).serverPids(), trial) : List.of();
    }

    interface ServersWork {
        void on(StartedServers servers) throws IOException, SQLException, InterruptedException;
    }

    /**
     * Starts the servers or connects to them, checks them, does the work, and stops those that it started.
     *
     * @param checkMachine is run when the servers have started
     * @throws dev.blobmark.mysql.server.ServerException if a server cannot be started or reached
     * @throws dev.blobmark.mysql.admission.AdmissionException if a server does not admit the run
     */
    static void with(RunContext run, Environment environment, Runnable checkMachine, ServersWork work)
            throws IOException, SQLException, InterruptedException {
        RunOptions options = run.plan().options();
        Suitability suitability = new Suitability(run.plan());
        suitability.requireReachableProxies(run.record().manifest().machine().hosts());
        Pin shared = options.precautions().pin();
        // a server that shares a processor with a load is pinned to that one
        Pin pin = environment.cpu().isWhole() ? shared : shared.withServerOnOne();
        String name = run.plan().serverName(environment);
        boolean hasMySql = run.plan().needs(StoreKinds.MYSQL);
        if (hasMySql) {
            run.listener()
                    .stepStarted((options.server().isOwn() ? "starting" : "connecting to") + " the server"
                            + name.substring(StudyPlan.MYSQL.length()));
        }
        run.awake().ifPresent(KeepAwake::rest);
        Path place = run.plan().directoryFor(environment.storage());
        Environment placed = environment.in(place);
        try (OpenedMySql mysql = hasMySql ? OpenedMySql.open(run, placed, place, pin) : null;
                StoreServersOpened storeServers = StoreServersOpened.of(
                        run.plan(), placed, new ServerLaunch(Optional.of(place), shared.serverPrefix()));
                // after the start of the server, which needs seconds of CPU time to create its system tables
                CompetingLoad rival = environment.cpu().isWhole()
                        ? null
                        : CompetingLoad.start(
                                pin.server().orElseThrow().cpus().first(),
                                environment.cpu().share().doubleValue());
                StartedProxies proxies = new StartedProxies(options.cache(), shared.serverPrefix())) {
            run.stop().check();
            if (hasMySql) {
                mysql.requireSuitable(suitability, pin);
            }
            run.record().setRival(Optional.ofNullable(rival).map(CompetingLoad::toString));
            checkMachine.run();
            Map<StoreKind, StoreSession> sessions = new LinkedHashMap<>();
            if (hasMySql) {
                ServerIdentity identity = mysql.record(run, name, placed);
                storeServers.begin(run);
                mysql.begin(run, identity);
                sessions.put(StoreKinds.MYSQL, mysql.session());
            } else {
                storeServers.begin(run);
            }
            sessions.putAll(storeServers.sessions());
            run.record().markServersKnown();
            run.listener().workDone(CostModel.SERVER_START_SECONDS);
            run.record().addUnavailable();
            try {
                work.on(new StartedServers(
                        Optional.ofNullable(mysql).map(OpenedMySql::session),
                        sessions,
                        Optional.ofNullable(rival),
                        proxies));
            } finally {
                if (hasMySql) {
                    run.record().keepLogs(mysql.server().logs());
                }
            }
        } finally {
            run.record().setRival(Optional.empty());
        }
    }

    /** The servers of a study's stores outside MySQL, with the run's sessions on them. */
    record StoreServersOpened(Map<StoreKind, StoreServers.Opened> byKind, Map<StoreKind, StoreSession> sessions)
            implements AutoCloseable {

        static StoreServersOpened of(StudyPlan plan, Environment environment, ServerLaunch launch) {
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
