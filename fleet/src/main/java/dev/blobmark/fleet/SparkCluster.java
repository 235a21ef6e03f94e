package dev.blobmark.fleet;

import dev.blobmark.cli.Cluster;
import dev.blobmark.fleet.host.Application;
import dev.blobmark.fleet.host.ColumnSketch;
import dev.blobmark.fleet.host.FilesRequest;
import dev.blobmark.fleet.host.FleetPlugin;
import dev.blobmark.fleet.host.HostFacts;
import dev.blobmark.fleet.host.Message;
import dev.blobmark.fleet.host.SampleSize;
import dev.blobmark.fleet.host.TableRequest;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.directory.Trees;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The hosts of a Spark cluster. */
public final class SparkCluster implements Cluster {

    private static final Pattern STANDALONE = Pattern.compile("spark://(.+)");
    private static final Pattern HOST_PORT = Pattern.compile("(.+):(\\d{1,5})");
    private static final Pattern OTHERS = Pattern.compile("yarn|k8s://.+|local-cluster\\[.+");
    private static final int CONNECT_MILLIS = 5_000;

    /** Of a column's size class: what {@code advise} takes of a table, and 16 MB in all classes. */
    private static final SampleSize SAMPLE = new SampleSize(5_000, 2 << 20);

    /** Parts of a table for each host, between two looks at the server's load. */
    private static final int PARTS_OF_HOST = 8;

    /** Properties of a connection that name files. */
    private static final Set<String> FILES = Set.of("trustStore", "keyStore", "serverRsaPublicKeyFile");

    private final int count;
    private final Hosts hosts;
    private final Jobs jobs;
    private final Path directory;

    private SparkCluster(int count, Hosts hosts, Jobs jobs, Path directory) {
        this.count = count;
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
            return new SparkCluster(
                    request.hosts(),
                    new Hosts(jobs, request.hosts(), bind, directory, request.notices()),
                    jobs,
                    directory);
        } catch (IOException | IllegalArgumentException e) {
            Trees.delete(directory);
            throw e;
        }
    }

    private static Jobs jobs(Request request, InetAddress bind, Path directory) throws IOException {
        List<String> jars = ClassPath.ofProcesses(directory);
        String socket = System.getProperty(Fleet.SOCKET);
        if (socket != null) {
            SubmittedApplication submitted = new SubmittedApplication(Path.of(socket));
            return new Jobs(submitted, submitted, new Application(jars));
        }
        String spark = ClassPath.ofSpark();
        Path tasks = ClassPath.ofTasks(directory);
        return new Jobs(
                new SparkProcess(spark, tasks, settings(request, bind, Application.OF_HOSTS), directory),
                new SparkProcess(spark, tasks, settings(request, bind, Map.of()), directory),
                new Application(jars));
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

    static Map<String, String> settings(Request request, InetAddress bind, Map<String, String> more) {
        Map<String, String> settings = new LinkedHashMap<>(Application.USUAL);
        settings.putAll(more);
        settings.put("spark.app.name", "blobmark");
        settings.put("spark.master", request.master());
        settings.put("spark.driver.host", bind.getHostAddress());
        settings.put("spark.driver.bindAddress", bind.getHostAddress());
        settings.put("spark.ui.enabled", "false");
        settings.put("spark.cores.max", Integer.toString(request.hosts()));
        settings.put("spark.executor.instances", Integer.toString(request.hosts()));
        settings.putAll(request.settings());
        settings.merge(FleetPlugin.SETTING, FleetPlugin.class.getName(), (users, ours) -> users + "," + ours);
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
    public Scanned scan(Column column) throws IOException, InterruptedException {
        FilesRequest request = new FilesRequest(column.path(), column.format(), column.name(), SAMPLE);
        return scanned(jobs.scan(scanner -> scanner.scan(request), key -> {}));
    }

    @Override
    public Scanned scan(Rows rows, Gate gate) throws IOException, InterruptedException {
        String driver = ClassPath.of(org.mariadb.jdbc.Driver.class).toString();
        List<TableRequest.Part> parts = rows.parts().stream()
                .map(part -> new TableRequest.Part(part.sql(), part.parameters()))
                .toList();
        int group = count * PARTS_OF_HOST;
        try (Hosts.Scan open = hosts.open(login(rows.endpoint()))) {
            return scanned(jobs.scan(
                    scanner -> {
                        ColumnSketch all = new ColumnSketch();
                        for (int done = 0; done < parts.size(); done += group) {
                            gate.await(done);
                            List<TableRequest.Part> next = parts.subList(done, Math.min(done + group, parts.size()));
                            TableRequest request =
                                    new TableRequest(driver, hosts.address(), open.number(), next, SAMPLE);
                            all.plus(scanner.scan(request), SAMPLE);
                        }
                        return all;
                    },
                    open::invite));
        }
    }

    private static Message.Login login(Endpoint endpoint) throws IOException {
        Map<String, String> properties = new HashMap<>();
        Map<String, byte[]> files = new HashMap<>();
        for (Map.Entry<Object, Object> property :
                Driver.MARIADB.propertiesForReading(endpoint).entrySet()) {
            String name = (String) property.getKey();
            String value = (String) property.getValue();
            if (FILES.contains(name)) {
                files.put(name, Files.readAllBytes(Path.of(value)));
            } else {
                properties.put(name, value);
            }
        }
        return new Message.Login(Driver.MARIADB.url(endpoint, ""), properties, files);
    }

    private static Scanned scanned(ColumnSketch sketch) {
        List<Scanned.OfSize> classes = new ArrayList<>();
        for (SizeClass size : SizeClass.values()) {
            ColumnSketch.OfSize of = sketch.ofSize(size.ordinal());
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
        return new Scanned(sketch.missing(), sketch.unread(), classes);
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
