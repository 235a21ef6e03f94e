package dev.blobmark.lab.admission;

import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.lab.store.Store;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Design;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.Alarm;
import dev.blobmark.mysql.admission.LoadLimits;
import dev.blobmark.mysql.admission.LoadWatch;
import dev.blobmark.mysql.admission.Replication;
import dev.blobmark.mysql.admission.ServerFailure;
import dev.blobmark.mysql.admission.WatchLostException;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Incident;
import dev.blobmark.mysql.server.Recoverable;
import dev.blobmark.mysql.server.Restartable;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerIdentity;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A run's session on a server, from the first checks to dropping all that it made. On a server that Blobmark started
 * there is a lock and a watch only if the user sets limits of the load. Confined to the run's thread, whose loading
 * connection it shares.
 */
public final class ServerSession implements StoreSession, AutoCloseable {

    private static final int VALID_SECONDS = 5;

    private final Server server;
    private RunLimits limits;
    private final Consumer<String> notes;
    private Connection connection;
    private boolean ownsConnection;
    private boolean skipsBinlog;

    /** Also read by the watch. */
    private volatile Optional<Marker> marker = Optional.empty();

    private Optional<LoadWatch> watch = Optional.empty();
    private boolean measuresDisk = true;

    /** Data nodes that were ready at the start; 0 without a cluster. */
    private int dataNodes;

    /**
     * @param connection the run's loading connection; {@link #restart} replaces it
     * @param notes receives facts for the user, a line each
     */
    public ServerSession(Server server, Connection connection, RunLimits limits, Consumer<String> notes) {
        this.server = server;
        this.connection = connection;
        this.limits = limits;
        this.notes = notes;
    }

    /**
     * Checks the server, then makes the schema, or takes over that of a run that has ended.
     *
     * @param variables global variables of the server
     * @param version of Blobmark
     * @param run the name of the run
     * @param alarm called on another thread if the run must end
     * @throws AdmissionException if the run is not admitted; then nothing has been written
     */
    public void begin(Map<String, String> variables, LoadVolume volume, String version, String run, Alarm alarm)
            throws SQLException {
        begin(variables, volume, version, run, alarm, LoadWatch::start);
    }

    /** @param start starts the watch on the server's load */
    void begin(
            Map<String, String> variables,
            LoadVolume volume,
            String version,
            String run,
            Alarm alarm,
            Consumer<LoadWatch> start)
            throws SQLException {
        limits = limits.on(variables);
        prepare(connection);
        ServerPreflight.Admitted checks =
                new ServerPreflight(connection, server, variables, limits, volume, notes).check();
        measuresDisk = checks.diskBytes();
        dataNodes = readyDataNodes();
        if (!server.isOwn()
                || limits.load().max().isPresent()
                || !limits.load().critical().equals(LoadLimits.NONE)) {
            LoadLimits max = limits.load().max().orElse(server.isOwn() ? LoadLimits.NONE : LoadLimits.USUAL);
            watch = Optional.of(new LoadWatch(
                    new RunLock(server.endpoint(), limits.schema(), () -> marker)::connect,
                    limits.schema(),
                    this::demotion,
                    max,
                    limits.load().critical(),
                    alarm));
        }
        RunSchema schema = runSchema();
        Optional<Marker> previous = schema.removeLeftovers();
        skipsBinlog = checks.skipBinlog();
        new BinaryLog(connection).set(!skipsBinlog);
        marker = Optional.of(schema.claim(version, run, previous, skipsBinlog));
        connection.setCatalog(limits.schema());
        watch.ifPresent(start);
    }

    /**
     * Makes the checks of {@link #begin} on a server that Blobmark did not start, and writes nothing.
     *
     * @throws AdmissionException with all reasons why a run would not be admitted
     */
    public void inspect(Map<String, String> variables, LoadVolume volume) throws SQLException {
        limits = limits.on(variables);
        prepare(connection);
        dataNodes = readyDataNodes();
        ServerPreflight preflight = new ServerPreflight(connection, server, variables, limits, volume, notes);
        RunSchema schema = runSchema();
        Optional<Marker> previous = Marker.read(connection, limits.schema());
        boolean isEmpty = Marker.contents(connection, limits.schema()).isEmpty();
        if (Marker.lockHolder(connection, limits.schema()).isPresent()) {
            preflight.addProblem(
                    RunLock.taken(server.endpoint(), limits.schema()).getMessage());
        } else if (previous.isPresent() && previous.get().isOfThisServer(connection)) {
            notes.accept("the run would remove what run " + previous.get().run() + " had left in the schema "
                    + limits.schema());
        } else if (previous.isEmpty() && Marker.exists(connection, limits.schema()) && !schema.mayUse(isEmpty)) {
            preflight.addProblem(schema.notOwned().getMessage());
        }
        preflight.check();
        preflight.connections().forEach(notes);
    }

    /**
     * Restarts a server that Blobmark started, so that its buffer pool has no pages of tables. Afterwards the loading
     * connection and the server's process are new.
     *
     * @param environment of the server
     */
    public void restart(Environment environment) throws SQLException {
        if (!(server instanceof Restartable own)) {
            throw new IllegalStateException("Blobmark cannot restart this server: " + server.kind());
        }
        connection.close();
        watch.ifPresent(LoadWatch::suspend);
        own.restart();
        watch.ifPresent(LoadWatch::resume);
        reconnect();
        environment.setLayoutVariables(connection);
    }

    private void reconnect() throws SQLException {
        connection.close();
        connection = JdbcDriver.connectForLoading(server.endpoint(), limits.schema());
        ownsConnection = true;
        prepare(connection);
        new BinaryLog(connection).set(!skipsBinlog);
    }

    /** The run's loading connection. */
    public Connection connection() {
        return connection;
    }

    @Override
    public ServerIdentity identity() throws SQLException {
        return ServerIdentity.read(connection);
    }

    @Override
    public List<Long> serverPids() {
        return server.pids();
    }

    /**
     * Events since the last call; for a cluster that Blobmark did not start, the number of data nodes that were lost.
     */
    public List<Incident> incidents() {
        if (server instanceof Recoverable cluster) {
            return cluster.incidents();
        }
        if (server.isOwn() || dataNodes == 0) {
            return List.of();
        }
        int ready = readyDataNodes();
        return ready >= dataNodes
                ? List.of()
                : List.of(new Incident(
                        Instant.EPOCH, (dataNodes - ready) + " of " + dataNodes + " data nodes were lost"));
    }

    /** Starts lost parts of the server again, if Blobmark can. */
    public void recover() {
        if (server instanceof Recoverable cluster) {
            cluster.recover().forEach(notes);
        }
    }

    /** 0 if the server is not an SQL node, or does not answer. */
    private int readyDataNodes() {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Ndb_number_of_ready_data_nodes'")) {
            return row.next() ? row.getInt(2) : 0;
        } catch (SQLException e) {
            return 0;
        }
    }

    /** Allows the session to be idle while forks measure, and limits the time that DDL waits for locks of others. */
    static void prepare(Connection connection) throws SQLException {
        Sql.execute(connection, "SET SESSION wait_timeout = 28800, lock_wait_timeout = 60");
    }

    /** If a server becomes a replica, its source does not have what the run logs, and replication may stop. */
    private Optional<String> demotion(Connection open) throws SQLException {
        return !server.isOwn() && !skipsBinlog && new Replication(open).replica() == Replication.Replica.YES
                ? Optional.of("the server has become a replica, and the run writes to its binary log")
                : Optional.empty();
    }

    private RunSchema runSchema() {
        return new RunSchema(
                connection,
                server.endpoint(),
                limits.schema(),
                limits.schemaNamed().isPresent(),
                !server.isOwn() && dataNodes > 0,
                notes);
    }

    /** The schema of the run's tables. */
    public String schema() {
        return limits.schema();
    }

    /** Whether bytes of tables on disk can be read, because the account may flush tables. */
    public boolean measuresDisk() {
        return measuresDisk;
    }

    @Override
    public MySqlTable store(String name, Design design, EncodedValues values) throws SQLException {
        return MySqlTable.of(connection, schema(), name, design, values).marked(comment(name));
    }

    @Override
    public ForkPlan.LoadedTable place(String name, Design design, DiskSpace disk) {
        // an InnoDB table exists only on the server that made it
        List<Endpoint> others = design.get(StoreKinds.FACTOR).isOnAllServers(design) ? server.others() : List.of();
        return new ForkPlan.LoadedTable(server.endpoint(), others, schema(), name, disk, List.of());
    }

    @Override
    public DiskSpace disk(Store table) throws SQLException {
        return measuresDisk ? table.disk(dataDirectory()) : DiskSpace.UNKNOWN;
    }

    @Override
    public Optional<PageTimes> pageTimes(Store table) throws SQLException {
        return server.isOwn() ? table.pageTimes() : Optional.empty();
    }

    /** Present only for a server that Blobmark started. */
    @Override
    public Optional<Path> dataDirectory() throws SQLException {
        if (!server.isOwn()) {
            return Optional.empty();
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@datadir")) {
            row.next();
            return Optional.of(Path.of(row.getString(1)));
        }
    }

    /** The comment of a table of the run, by which {@link #drop} recognises it. */
    public String comment(String table) {
        return marker.orElseThrow().comment(table);
    }

    @Override
    public void drop(String table) throws SQLException {
        if (!isAlive()) {
            reconnect(); // an administrator or a time-out may have ended only the connection
        }
        MySqlTable.drop(connection, limits.schema(), table, comment(table));
    }

    /**
     * Waits while the server's load exceeds the limit or cannot be read.
     *
     * @param check runs every second of the wait, and may throw
     * @throws WatchLostException if the load or the run's lock can no longer be watched
     */
    public void awaitLowLoad(Runnable check) throws InterruptedException {
        if (watch.isPresent() && watch.get().awaitLowLoad(reason -> notes.accept("paused: " + reason), check)) {
            notes.accept(LoadWatch.CONTINUING);
        }
    }

    /** The same without an InterruptedException: an interrupt ends the wait and sets the thread's flag. */
    public void pauseIfBusy(Runnable check) {
        try {
            awaitLowLoad(check);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The last excess or failure to read the load since the last {@link #awaitLowLoad}. */
    public Optional<String> disturbance() {
        return watch.flatMap(LoadWatch::disturbance);
    }

    @Override
    public boolean isAlive() {
        try {
            return connection.isValid(VALID_SECONDS);
        } catch (SQLException e) {
            return false;
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws ServerException if the server is gone
     * @throws AdmissionException if it has no space left, or has become read-only
     */
    @Override
    public void requireServer(String doing, Exception failure) {
        if (!isAlive()) {
            throw lost(doing, failure.getMessage());
        }
        ServerFailure.full(failure)
                .or(() -> ServerFailure.readOnly(limits.schema(), failure))
                .ifPresent(refusal -> {
                    throw refusal;
                });
    }

    /** The error for a server that is gone. */
    public ServerException lost(String activity, String reason) {
        return new ServerException("the server " + server.endpoint() + " was lost while " + activity + " (" + reason
                + "); earlier measurements are kept");
    }

    /** Drops all that the run made, if the server can be reached, and releases the lock. */
    @Override
    public void close() {
        watch.ifPresent(LoadWatch::suspend);
        try {
            if (marker.isPresent()) {
                leave(marker.get());
            }
            if (ownsConnection) {
                connection.close();
            }
        } catch (SQLException | AdmissionException e) {
            if (!server.isOwn()) {
                notes.accept("the schema " + limits.schema() + " could not be removed (" + e.getMessage()
                        + "); 'blobmark cleanup --schema " + limits.schema() + "' with the same --server removes it");
            }
        } finally {
            watch.ifPresent(LoadWatch::close);
        }
    }

    private void leave(Marker own) throws SQLException {
        if (isAlive()) {
            leave(own, connection);
        } else {
            try (Connection fresh = JdbcDriver.connectForLoading(server.endpoint(), "")) {
                prepare(fresh);
                leave(own, fresh);
            }
        }
    }

    private void leave(Marker own, Connection open) throws SQLException {
        Optional<String> whyItStays = own.remove(open);
        if (own.isSchemaMade() && !server.isOwn()) {
            whyItStays.ifPresent(reason -> notes.accept("the schema " + own.schema() + " stays: " + reason));
        }
    }
}
