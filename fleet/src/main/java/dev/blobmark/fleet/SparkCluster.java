package dev.blobmark.fleet;

import dev.blobmark.cli.Cluster;
import dev.blobmark.fleet.host.Application;
import dev.blobmark.fleet.host.HostFacts;
import dev.blobmark.fleet.host.LakeRequest;
import dev.blobmark.fleet.host.LakeSketch;
import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.server.directory.Trees;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The hosts of a Spark cluster. */
public final class SparkCluster implements Cluster {

    private static final Pattern STANDALONE = Pattern.compile("spark://(.+)");
    private static final Pattern HOST_PORT = Pattern.compile("(.+):(\\d{1,5})");
    private static final Pattern OTHERS = Pattern.compile("yarn|k8s://.+|local-cluster\\[.+");
    private static final int CONNECT_MILLIS = 5_000;

    /** Of a column's size class: what {@code advise} takes of a table, and 16 MB in all classes. */
    private static final int SAMPLED = 5_000;

    private static final long SAMPLED_BYTES = 2 << 20;

    private final Hosts hosts;
    private final Jobs jobs;
    private final Path directory;

    private SparkCluster(Hosts hosts, Jobs jobs, Path directory) {
        this.hosts = hosts;
        this.jobs = jobs;
        this.directory = directory;
    }

    /** Found by the commands. */
    public static final class Provider implements Cluster.Provider {

        @Override
        public Cluster open(Request request) throws IOException {
            return SparkCluster.open(request);
        }
    }

    static SparkCluster open(Request request) throws IOException {
        Application.check(request.settings());
        InetAddress bind = bind(request);
        Path directory =
                Files.createTempDirectory(request.scratch(), "blobmark-fleet-").toAbsolutePath();
        try {
            Jobs jobs = jobs(request, bind, directory);
            return new SparkCluster(new Hosts(jobs, request.hosts(), bind, directory), jobs, directory);
        } catch (IOException | IllegalArgumentException e) {
            Trees.delete(directory);
            throw e;
        }
    }

    private static Jobs jobs(Request request, InetAddress bind, Path directory) throws IOException {
        List<String> jars = ClassPath.ofProcesses(directory);
        String socket = System.getProperty(Fleet.SOCKET);
        Jobs.Driver driver = socket != null
                ? new SubmittedApplication(Path.of(socket))
                : new SparkProcess(
                        ClassPath.ofSpark(), ClassPath.ofTasks(directory), settings(request, bind), directory);
        return new Jobs(driver, new Application(jars));
    }

    /** The address of this machine that hosts can reach: the one from which the master is reached. */
    private static InetAddress bind(Request request) throws IOException {
        String chosen = request.settings().get("spark.driver.host");
        if (chosen != null) {
            return InetAddress.getByName(chosen);
        }
        Matcher standalone = STANDALONE.matcher(request.master());
        if (standalone.matches()) {
            InetSocketAddress master = reachable(request.master(), standalone.group(1));
            try (DatagramSocket towards = new DatagramSocket()) {
                towards.connect(master);
                return towards.getLocalAddress();
            }
        }
        if (!OTHERS.matcher(request.master()).matches()) {
            throw new IllegalArgumentException(
                    "'" + request.master()
                            + "' is not the master of a Spark cluster; write spark://HOST:PORT, yarn or k8s://https://HOST:PORT");
        }
        return InetAddress.getLocalHost();
    }

    /** The first master that accepts a connection: Spark would try for a minute. */
    private static InetSocketAddress reachable(String master, String list) throws IOException {
        IOException last = null;
        for (String one : list.split(",")) {
            Matcher parts = HOST_PORT.matcher(one);
            if (!parts.matches()) {
                throw new IllegalArgumentException("'" + master + "' has no port; write spark://HOST:7077");
            }
            InetSocketAddress address = new InetSocketAddress(parts.group(1), Integer.parseInt(parts.group(2)));
            try (Socket socket = new Socket()) {
                socket.connect(address, CONNECT_MILLIS);
                return address;
            } catch (IOException e) {
                last = e;
            }
        }
        throw new IOException(
                "the master " + master + " cannot be reached: " + last.getMessage()
                        + "; start it, or correct the address (its log has it)",
                last);
    }

    static Map<String, String> settings(Request request, InetAddress bind) {
        Map<String, String> settings = new LinkedHashMap<>(Application.USUAL);
        settings.put("spark.app.name", "blobmark");
        settings.put("spark.master", request.master());
        settings.put("spark.driver.host", bind.getHostAddress());
        settings.put("spark.driver.bindAddress", bind.getHostAddress());
        settings.put("spark.ui.enabled", "false");
        settings.put("spark.cores.max", Integer.toString(request.hosts()));
        settings.put("spark.executor.instances", Integer.toString(request.hosts()));
        settings.putAll(request.settings());
        return settings;
    }

    @Override
    public Launch launch(String main, List<String> flags) {
        return new FleetLaunch(hosts, main, flags, true);
    }

    @Override
    public Launch plain(String main, List<String> flags) {
        return new FleetLaunch(hosts, main, flags, false);
    }

    @Override
    public Optional<String> withoutLoopback() throws IOException {
        String machine = HostFacts.here().machine();
        List<String> others = new ArrayList<>();
        for (Host host : hosts.all()) {
            if (machine.isEmpty() || !host.facts().machine().equals(machine)) {
                others.add(host.facts().name());
            }
        }
        return others.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        others.size() == 1 ? "a host is another machine" : others.size() + " hosts are other machines");
    }

    @Override
    public Scanned scan(Column column) throws IOException {
        LakeSketch sketch =
                jobs.scan(new LakeRequest(column.path(), column.format(), column.name(), SAMPLED, SAMPLED_BYTES));
        List<Scanned.OfSize> classes = new ArrayList<>();
        for (SizeClass size : SizeClass.values()) {
            LakeSketch.OfSize of = sketch.ofSize(size.ordinal());
            if (of.rows() > 0) {
                classes.add(new Scanned.OfSize(
                        size,
                        of.rows(),
                        of.bytes(),
                        of.longest(),
                        of.distinct(),
                        of.sample().stream()
                                .map(value -> new Scanned.Value(value.bytes(), value.rows()))
                                .toList()));
            }
        }
        return new Scanned(sketch.missing(), classes);
    }

    @Override
    public void close() {
        hosts.close();
        try {
            Trees.delete(directory);
        } catch (IOException e) {
            // the next start of Blobmark empties the directory of temporary files
        }
    }
}
