package dev.blobmark.lab.conduct;

import dev.blobmark.codec.CodecFamily;
import dev.blobmark.lab.client.ClientKind;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.environment.CpuShare;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.environment.Storage;
import dev.blobmark.lab.link.Via;
import dev.blobmark.lab.machine.CompetingLoad;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.plan.Block;
import dev.blobmark.lab.plan.Environments;
import dev.blobmark.lab.plan.Jvm;
import dev.blobmark.lab.plan.StoreDesign;
import dev.blobmark.lab.plan.ValuesSource;
import dev.blobmark.lab.run.Machine;
import dev.blobmark.lab.server.proxy.HaProxy;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.mysql.server.Recoverable;
import dev.blobmark.mysql.server.Restartable;
import dev.blobmark.mysql.server.Server;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether a study and its trials can be measured with the options. Trials that cannot be measured are left out. A study
 * that cannot be run is refused.
 */
record Suitability(StudyPlan plan) {

    /** Fewer passes give no useful interval. */
    private static final int MIN_PASSES = 3;

    /** The trials that cannot be measured on this platform or kind of server, with the reason. */
    Map<Trial, String> unavailable() {
        Map<Object, Optional<String>> reasons = new HashMap<>();
        Map<Trial, String> unavailable = new LinkedHashMap<>();
        for (Trial trial : plan.trials()) {
            codecProblem(trial, reasons)
                    .or(() -> reasons.computeIfAbsent(trial.design().get(Jvm.FACTOR), jvm -> ((Jvm) jvm).unavailable()))
                    .or(() -> StoreDesign.isUsedBy(trial) ? placeProblem(trial, reasons) : Optional.empty())
                    .or(() -> ClientKind.notApplicable(trial.design()))
                    .or(() -> StartedProxies.areUsedBy(trial) ? proxyProblem(trial, reasons) : Optional.empty())
                    .or(() -> StoreDesign.isUsedBy(trial) ? serverProblem(trial, reasons) : Optional.empty())
                    .ifPresent(reason -> unavailable.put(trial, reason));
        }
        return unavailable;
    }

    private static Optional<String> codecProblem(Trial trial, Map<Object, Optional<String>> reasons) {
        CodecFamily family = StoredCodec.family(trial.design().get(StoredCodec.FACTOR));
        return reasons.computeIfAbsent(family.name(), name -> family.unavailable());
    }

    /** The proxy has no certificate of its own: clients see that of the server, which has the name of its own host. */
    private Optional<String> proxyProblem(Trial trial, Map<Object, Optional<String>> reasons) {
        return reasons.computeIfAbsent(Via.HAPROXY, via -> HaProxy.unavailable())
                .or(() -> trial.design().get(Tls.FACTOR) == Tls.VERIFY_IDENTITY && !startsServers()
                        ? Optional.of(
                                "via=haproxy: connections go to an address of this machine, for which the server's"
                                        + " certificate is not issued; set tls to verify-ca")
                        : Optional.empty());
    }

    /** @param reasons that have been determined already, by their subject */
    private Optional<String> placeProblem(Trial trial, Map<Object, Optional<String>> reasons) {
        return reasons.computeIfAbsent(trial.design().get(Storage.FACTOR), storage -> placeProblem((Storage) storage))
                .or(() -> Block.isCold(trial) && !startsServers()
                        ? Optional.of(
                                "pool=cold: only a server that Blobmark starts can be restarted before each window;"
                                        + " use --server embedded or --server mysqld")
                        : Optional.empty());
    }

    private Optional<String> serverProblem(Trial trial, Map<Object, Optional<String>> reasons) {
        boolean isEncrypted = trial.design().get(Tls.FACTOR) != Tls.OFF;
        Optional<String> problem = Optional.ofNullable(
                        plan.options().storeServers().get(trial.design().get(StoreKinds.FACTOR)))
                .flatMap(source -> source.encryptionProblem(isEncrypted));
        return problem.or(() -> trial.design().get(CpuShare.FACTOR).isWhole()
                ? Optional.empty()
                : reasons.computeIfAbsent(CpuShare.FACTOR, factor -> CompetingLoad.unavailable()));
    }

    private boolean startsServers() {
        return plan.options().server().offers(Restartable.class);
    }

    /** A directory that the user has chosen must exist; a missing one is an error. */
    private Optional<String> placeProblem(Storage storage) {
        if (!(plan.place(storage) instanceof Storage.StoragePlace.Missing missing)) {
            return Optional.empty();
        }
        if (storage instanceof Storage.StorageDirectory) {
            throw new IllegalArgumentException("storage " + storage + ": " + missing.reason());
        }
        return Optional.of(missing.reason());
    }

    /**
     * @throws IllegalArgumentException if the study as a whole cannot be run with the options; the message says what to
     *     change
     */
    void requireSuitable() {
        requireValuesFit();
        if (startsServers()) {
            requireOtherThanCluster();
        } else {
            requireUsualEnvironments();
        }
        if (Block.needPasses(plan.blocks())) {
            requirePasses();
        }
    }

    /** Finds values that a column of text or JSON cannot hold before anything is started or created. */
    private void requireValuesFit() {
        Map<ValuesSource, Set<Column>> columns = new LinkedHashMap<>();
        plan.trials().stream().filter(StoreDesign::isUsedBy).map(Trial::design).forEach(design -> {
            Column column = design.get(Column.FACTOR);
            if (column.content().isPlain() && design.get(StoreKinds.FACTOR) == StoreKinds.MYSQL) {
                columns.computeIfAbsent(ValuesSource.of(design), source -> new LinkedHashSet<>())
                        .add(column);
            }
        });
        columns.forEach((source, all) -> {
            Values values = plan.values(source);
            for (int i = 0; i < values.count(); i++) {
                byte[] value = values.get(i);
                for (Column column : all) {
                    column.problem(values.name(i), value).ifPresent(problem -> {
                        throw new IllegalArgumentException(problem);
                    });
                }
            }
        });
    }

    private void requireUsualEnvironments() {
        plan.trials().stream()
                .map(trial -> Environments.onlyOnOwnServer(
                        trial.design(), plan.options().server().offers(Recoverable.class)))
                .filter(factors -> !factors.isEmpty())
                .findFirst()
                .ifPresent(factors -> {
                    throw new IllegalArgumentException(factors
                            + ": only a server that Blobmark starts can have these; use --server embedded or"
                            + " --server mysqld, or remove these factors and configure the server yourself");
                });
    }

    private void requireOtherThanCluster() {
        List<Trial> onTables =
                plan.trials().stream().filter(StoreDesign::isUsedBy).toList();
        if (!onTables.isEmpty()
                && onTables.stream()
                        .allMatch(trial -> trial.design().get(Layout.FACTOR).isClustered())) {
            throw new IllegalArgumentException("all trials of " + plan.study().name()
                    + " use tables of an NDB cluster, but the server is not one: start one with --server ndb:DIR, where DIR"
                    + " has bin/ndb_mgmd, bin/ndbmtd and bin/mysqld, or give one of your SQL nodes"
                    + " (--server mysql://USER@HOST:PORT/)");
        }
    }

    private void requirePasses() {
        Schedule schedule = plan.study().schedule();
        String why = "the trials need servers of different environments ("
                + plan.blocks().stream()
                        .map(Block::environment)
                        .map(environment -> environment.equals(Environment.DEFAULT) ? "usual" : environment.toString())
                        .distinct()
                        .limit(3)
                        .collect(Collectors.joining("; "))
                + "), and so are measured in passes of one fork each";
        if (schedule.forks() < MIN_PASSES) {
            throw new IllegalArgumentException(
                    why + ": at least " + MIN_PASSES + " are needed to distinguish differences between"
                            + " servers from those between starts, but the schedule has " + schedule.forks()
                            + " forks; give more (--forks " + MIN_PASSES + " --rounds " + MIN_PASSES + ")");
        }
        if (schedule.addsForks()) {
            throw new IllegalArgumentException(
                    why + ": the number of passes that a precision or a budget needs is not known in advance;"
                            + " leave both out and give more forks, or run each environment by itself");
        }
    }

    /**
     * Refuses proxies that the measuring JVMs cannot reach.
     *
     * @param hosts on which they run; empty for this machine
     */
    void requireReachableProxies(List<Machine.MeasuringHost> hosts) {
        if (!hosts.isEmpty() && plan.trials().stream().anyMatch(StartedProxies::areUsedBy)) {
            throw new IllegalArgumentException("via=haproxy: the proxy listens on this machine's loopback interface,"
                    + " and the trials are measured from other hosts; measure from this machine, or start a proxy of"
                    + " your own and give its address as --server");
        }
    }

    /**
     * Refuses trials with unencrypted connections if the user requires encryption for all.
     *
     * @throws IllegalArgumentException if a trial has less encryption than {@code --ssl-mode} requires
     */
    void requireEncryption(Server server) {
        for (Trial trial : plan.trials()) {
            Tls tls = trial.design().get(Tls.FACTOR);
            if (StoreDesign.isUsedBy(trial) && tls.mode().compareTo(server.minimumSsl()) < 0) {
                throw new IllegalArgumentException(
                        "--ssl-mode " + server.minimumSsl()
                                + " is for every connection, but the study has trials with tls=" + tls
                                + ". Set the study's by --set tls=verify-identity (or on, verify-ca), or give a lower --ssl-mode.");
            }
        }
    }

    /** @throws IllegalArgumentException if the pin is for a server that Blobmark did not start */
    static void requirePinned(Server server, Pin pin) {
        if (server.isOwn()) {
            server.pids().forEach(pin::verifyServer);
        } else if (pin.server().isPresent()) {
            throw new IllegalArgumentException("--pin server=…: Blobmark did not start this server (" + server.kind()
                    + "); pin it where it was started, and leave this out");
        }
    }
}
