package dev.blobmark.cli;

import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.hosts.Cluster;
import dev.blobmark.lab.server.source.Servers;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.ServiceLoader;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The hosts on which processes work. */
final class ClusterOptions {

    private static final int MAX_HOSTS = 256;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--on",
            paramLabel = "MASTER",
            description = "Work on the hosts of a Spark cluster instead of this machine: spark://HOST:PORT.")
    private String master;

    @Option(names = "--hosts", paramLabel = "N", description = "Number of hosts, with --on.")
    private Integer hosts;

    @Option(
            names = "--spark-conf",
            paramLabel = "KEY=VALUE",
            description = "With --on: a setting of Spark, such as spark.executor.memory=1g. No secrets.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--spark-conf-file",
            paramLabel = "FILE",
            description =
                    "With --on: settings of Spark, as in spark-defaults.conf. The place for secrets: of mode 600.")
    private Path settingsFile;

    @Option(
            names = "--insecure-cluster",
            description = "With --on: use a cluster without authentication and encryption. Whoever reaches one of its"
                    + " ports runs programs there and reads what it sends.")
    private boolean isInsecure;

    boolean isUsed() {
        return master != null;
    }

    /** The number of hosts; empty for this machine. */
    OptionalInt hosts() {
        if (master == null) {
            requireUnused("--hosts", hosts != null);
            requireUnused("--spark-conf", !settings.isEmpty());
            requireUnused("--spark-conf-file", settingsFile != null);
            requireUnused("--insecure-cluster", isInsecure);
            return OptionalInt.empty();
        }
        if (hosts == null || hosts < 1 || hosts > MAX_HOSTS) {
            throw new ParameterException(
                    spec.commandLine(), "--on needs --hosts N: a number of hosts between 1 and " + MAX_HOSTS);
        }
        return OptionalInt.of(hosts);
    }

    private void requireUnused(String option, boolean isUsed) {
        if (isUsed) {
            throw new ParameterException(spec.commandLine(), option + " needs --on: the master of a Spark cluster");
        }
    }

    /** The cluster that works; empty if this machine does. */
    Optional<Cluster> open(Path scratch) throws IOException {
        if (hosts().isEmpty()) {
            return Optional.empty();
        }
        Cluster.Provider provider = ServiceLoader.load(Cluster.Provider.class)
                .findFirst()
                .orElseThrow(
                        () -> new ParameterException(
                                spec.commandLine(),
                                "--on needs blobmark-fleet.jar on the class path; start Blobmark with its launcher, which adds it"));
        if (isInsecure) {
            say("--insecure-cluster: whoever reaches a port of the cluster or of Spark's driver can run programs there,"
                    + " and read what Spark sends");
        }
        try {
            return Optional.of(provider.open(new Cluster.Request(
                    master, hosts, settings, Optional.ofNullable(settingsFile), isInsecure, scratch, this::say)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--on: " + e.getMessage(), e);
        }
    }

    private void say(String notice) {
        PrintWriter err = spec.commandLine().getErr();
        synchronized (err) {
            err.println(notice);
            err.flush();
        }
    }

    /**
     * Says that the hosts are waited for, and refuses a server that they could not reach.
     *
     * @throws IOException if they do not join
     */
    void requireReachable(Cluster cluster, Servers.Source source) throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        err.println("Waiting for the hosts of the cluster");
        err.flush();
        Optional<String> reason = source.isOwn() ? cluster.withoutLoopback() : Optional.empty();
        if (reason.isPresent()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "the server listens on this machine only, and " + reason.get()
                            + "; give a server that they can reach by --server mysql://USER@HOST:PORT/");
        }
    }

    /** How measuring JVMs are started. */
    static Launch launch(Optional<Cluster> cluster, List<String> flags) {
        return cluster.map(of -> of.launch(ForkMain.class.getName(), flags)).orElseGet(() -> ForkMain.launch(flags));
    }
}
