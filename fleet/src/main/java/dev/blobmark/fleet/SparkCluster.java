package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Application;
import dev.blobmark.fleet.host.ColumnSketch;
import dev.blobmark.fleet.host.FilesRequest;
import dev.blobmark.fleet.host.HostFacts;
import dev.blobmark.fleet.host.Message;
import dev.blobmark.fleet.host.SampleSize;
import dev.blobmark.fleet.host.TableRequest;
import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.hosts.Cluster;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.UserInfo;
import dev.blobmark.mysql.server.directory.Trees;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The hosts of a Spark cluster. */
public final class SparkCluster implements Cluster {

    private static final Pattern OTHERS = Pattern.compile("yarn|k8s://.+|local-cluster\\[.+");

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
    public static final class SparkProvider implements Cluster.Provider {

        @Override
        public Cluster open(Request request) throws IOException {
            return SparkCluster.open(request);
        }
    }

    static SparkCluster open(Request request) throws IOException {
        return System.getProperty(Fleet.SOCKET) == null
                ? open(request, SparkSettings.read(request, System::getenv))
                : submitted(request, Path.of(System.getProperty(Fleet.SOCKET)));
    }

    private static SparkCluster open(Request request, SparkSettings settings) throws IOException {
        Application.check(settings.all());
        Optional<Masters> masters = Masters.parse(request.master());
        if (masters.isEmpty() && !OTHERS.matcher(request.master()).matches()) {
            throw new IllegalArgumentException(
                    "'" + UserInfo.hidden(request.master())
                            + "' is not the master of a Spark cluster; write spark://HOST:PORT, yarn or k8s://https://HOST:PORT");
        }
        InetAddress none = InetAddress.getLoopbackAddress(); // what is required depends on no address
        Map<String, String> all = settings.ofApplication(request, none, Map.of());
        if (!request.isInsecure()) {
            ClusterSecurity.require(all);
            if (masters.isPresent()) {
                ClusterSecurity.ask(masters.get(), all);
            }
        }
        InetAddress bind = bind(masters, settings);
        return open(request, bind, directory -> {
            String spark = ClassPath.ofSpark();
            Path tasks = ClassPath.ofTasks(directory);
            return new Jobs(
                    new SparkProcess(
                            spark, tasks, settings.ofApplication(request, bind, Application.OF_HOSTS), directory),
                    new SparkProcess(spark, tasks, settings.ofApplication(request, bind, Map.of()), directory),
                    new Application(ClassPath.ofProcesses(directory)));
        });
    }

    /** The application has been started and looked at. */
    private static SparkCluster submitted(Request request, Path socket) throws IOException {
        if (request.settingsFile().isPresent()
                || !request.settings().keySet().equals(Set.of(SparkSettings.DRIVER_HOST))) {
            throw new IllegalArgumentException("spark-submit has the settings of the application: give it"
                    + " --properties-file instead of --spark-conf-file, and --conf instead of --spark-conf");
        }
        SubmittedApplication driver = new SubmittedApplication(socket);
        InetAddress bind = InetAddress.getByName(request.settings().get(SparkSettings.DRIVER_HOST));
        return open(
                request,
                bind,
                directory -> new Jobs(driver, driver, new Application(ClassPath.ofProcesses(directory))));
    }

    /** What runs jobs, with its files in a directory. */
    private interface Starting {
        Jobs in(Path directory) throws IOException;
    }

    private static SparkCluster open(Request request, InetAddress bind, Starting starting) throws IOException {
        Path directory =
                Files.createTempDirectory(request.scratch(), "blobmark-fleet-").toAbsolutePath();
        try {
            Jobs jobs = starting.in(directory);
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

    /** The address of this machine that hosts can reach: the one from which the master is reached. */
    private static InetAddress bind(Optional<Masters> masters, SparkSettings settings) throws IOException {
        String chosen = settings.all().get(SparkSettings.DRIVER_HOST);
        if (chosen != null) {
            return InetAddress.getByName(chosen);
        }
        if (masters.isEmpty()) {
            return InetAddress.getLocalHost();
        }
        try (DatagramSocket towards = new DatagramSocket()) {
            towards.connect(masters.get().reachable());
            return towards.getLocalAddress();
        }
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
        for (HostConnection host : hosts.all()) {
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
    public Scanned scan(FileColumn column) throws IOException, InterruptedException {
        FilesRequest request = new FilesRequest(column.path(), column.format(), column.name(), SAMPLE);
        return scanned(jobs.scan(scanner -> scanner.scan(request), key -> {}));
    }

    @Override
    public Scanned scan(TableRows rows, Gate gate) throws IOException, InterruptedException {
        String driver = ClassPath.of(org.mariadb.jdbc.Driver.class).toString();
        List<TableRequest.RequestedPart> parts = rows.parts().stream()
                .map(part -> new TableRequest.RequestedPart(part.sql(), part.parameters()))
                .toList();
        int group = count * PARTS_OF_HOST;
        try (Hosts.OpenScan open = hosts.open(login(rows.endpoint()))) {
            return scanned(jobs.scan(
                    scanner -> {
                        ColumnSketch all = new ColumnSketch();
                        for (int done = 0; done < parts.size(); done += group) {
                            gate.await(done);
                            List<TableRequest.RequestedPart> next =
                                    parts.subList(done, Math.min(done + group, parts.size()));
                            TableRequest request =
                                    new TableRequest(driver, hosts.address(), open.number(), next, SAMPLE);
                            all.plus(scanner.scan(request), SAMPLE);
                        }
                        return all;
                    },
                    open::invite));
        }
    }

    private static Message.ScanLogin login(Endpoint endpoint) throws IOException {
        Map<String, String> properties = new HashMap<>();
        Map<String, byte[]> files = new HashMap<>();
        for (Map.Entry<Object, Object> property :
                JdbcDriver.MARIADB.propertiesForReading(endpoint).entrySet()) {
            String name = (String) property.getKey();
            String value = (String) property.getValue();
            if (FILES.contains(name)) {
                files.put(name, Files.readAllBytes(Path.of(value)));
            } else {
                properties.put(name, value);
            }
        }
        return new Message.ScanLogin(JdbcDriver.MARIADB.url(endpoint, ""), properties, files);
    }

    private static Scanned scanned(ColumnSketch sketch) {
        List<Scanned.ValuesOfSize> classes = new ArrayList<>();
        for (SizeClass size : SizeClass.values()) {
            ColumnSketch.SizeSketch of = sketch.ofSize(size.ordinal());
            if (of.rows() > 0) {
                classes.add(new Scanned.ValuesOfSize(
                        size,
                        of.rows(),
                        of.bytes(),
                        of.longest(),
                        of.distinct(),
                        of.sample().stream()
                                .map(value -> new Scanned.DistinctValue(value.bytes(), value.rows()))
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
