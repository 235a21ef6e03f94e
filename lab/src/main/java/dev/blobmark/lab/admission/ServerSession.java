package dev.blobmark.lab.admission;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.Incident;
import dev.blobmark.lab.server.Recoverable;
import dev.blobmark.lab.server.Restartable;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.lab.store.Store;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Design;
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
 * A run's stay on a server, from the checks before anything is written to the dropping of all that was. On a server that
 * Blobmark started there is no lock and, unless asked for, no watch; the rest is the same. Confined to the thread of the run,
 * whose loading connection it shares.
 */
public final class ServerSession implements StoreSession, AutoCloseable {

    private static final int VALID_SECONDS = 5;

    private final Server server;
    private RunLimits terms;
    private final Consumer<String> notes;
    private Connection connection;
    private boolean ownsConnection;
    private boolean sparesBinlog;

    /** Read by the watch too. */
    private volatile Optional<Marker> mark = Optional.empty();

    private Optional<LoadWatch> watch = Optional.empty();
    private boolean measuresDisk = true;

    /** That were ready when the run began; 0 where there is no cluster. */
    private int dataNodes;

    /**
     * @param connection on which the run loads, until {@link #restart}
     * @param notes is told what the user should know of, a line each
     */
    public ServerSession(Server server, Connection connection, RunLimits terms, Consumer<String> notes) {
        this.server = server;
        this.connection = connection;
        this.terms = terms;
        this.notes = notes;
    }

    /**
     * Checks the server, then makes the schema, or takes over one whose run is no more.
     *
     * @param variables the server's global ones
     * @param version of Blobmark
     * @param run the name of the run
     * @param alarm is called, on another thread, when the run has to end
     * @throws AdmissionException if the run cannot be let in; nothing has been written then
     */
    public void begin(Map<String, String> variables, LoadVolume cargo, String version, String run, Alarm alarm)
            throws SQLException {
        terms = terms.on(variables);
        prepare(connection);
        Preflight.Clearance clearance = new Preflight(connection, server, variables, terms, cargo, notes).check();
        measuresDisk = clearance.diskBytes();
        dataNodes = readyDataNodes();
        if (!server.isOwn()
                || terms.maxLoad().isPresent()
                || !terms.criticalLoad().equals(LoadLimits.NONE)) {
            LoadLimits max = terms.maxLoad().orElse(server.isOwn() ? LoadLimits.NONE : LoadLimits.USUAL);
            watch = Optional.of(new LoadWatch(
                    new RunLock(server.endpoint(), terms.schema(), () -> mark)::connect,
                    terms.schema(),
                    this::demotion,
                    max,
                    terms.criticalLoad(),
                    alarm));
        }
        RunSchema schema = runSchema();
        Optional<Marker> dead = schema.removeDead();
        sparesBinlog = clearance.spareBinlog();
        new BinaryLog(connection).set(!sparesBinlog);
        mark = Optional.of(schema.claim(version, run, dead, sparesBinlog));
        connection.setCatalog(terms.schema());
        watch.ifPresent(LoadWatch::start);
    }

    /**
     * Checks a server that is not Blobmark's own as {@link #begin} does, and writes nothing.
     *
     * @throws AdmissionException with all that keeps a run from being let in
     */
    public void inspect(Map<String, String> variables, LoadVolume cargo) throws SQLException {
        terms = terms.on(variables);
        prepare(connection);
        dataNodes = readyDataNodes();
        Preflight preflight = new Preflight(connection, server, variables, terms, cargo, notes);
        RunSchema schema = runSchema();
        Optional<Marker> before = Marker.read(connection, terms.schema());
        boolean isEmpty = Marker.contents(connection, terms.schema()).isEmpty();
        if (Marker.lockHolder(connection, terms.schema()).isPresent()) {
            preflight.object(RunLock.taken(server.endpoint(), terms.schema()).getMessage());
        } else if (before.isPresent() && before.get().isOfThisServer(connection)) {
            notes.accept("the run would remove what run " + before.get().run() + " had left in the schema "
                    + terms.schema());
        } else if (before.isEmpty() && Marker.exists(connection, terms.schema()) && !schema.mayUse(isEmpty)) {
            preflight.object(schema.notOurs().getMessage());
        }
        preflight.check();
        preflight.connections().forEach(notes);
    }

    /**
     * Starts the server again, one of Blobmark's own, so that its buffer pool has nothing of any table. The loading connection is
     * another one afterwards, and the server another process.
     *
     * @param environment that the server was started for
     */
    public void restart(Environment environment) throws SQLException {
        if (!(server instanceof Restartable own)) {
            throw new IllegalStateException("Blobmark cannot start this server again: " + server.kind());
        }
        connection.close();
        watch.ifPresent(LoadWatch::excuse);
        own.restart();
        watch.ifPresent(LoadWatch::resume);
        connectAnew();
        environment.setLayoutVariables(connection);
    }

    private void connectAnew() throws SQLException {
        connection.close();
        connection = Driver.connectForLoading(server.endpoint(), terms.schema());
        ownsConnection = true;
        prepare(connection);
        new BinaryLog(connection).set(!sparesBinlog);
    }

    /** On which the run loads. */
    public Connection connection() {
        return connection;
    }

    @Override
    public ServerIdentity identity() throws SQLException {
        return ServerIdentity.read(connection);
    }

    /** The processes that the server is, where they are of this machine and Blobmark started them. */
    @Override
    public List<Long> serverPids() {
        return server.pids();
    }

    /** What has happened to the server since it was asked before; of a cluster of the user's, how many of its data nodes are not ready. */
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

    /** Starts again what of the server was lost, where that can be done. */
    public void recover() {
        if (server instanceof Recoverable cluster) {
            cluster.recover().forEach(notes);
        }
    }

    /** 0 where it is no SQL node, or does not answer. */
    private int readyDataNodes() {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Ndb_number_of_ready_data_nodes'")) {
            return row.next() ? row.getInt(2) : 0;
        } catch (SQLException e) {
            return 0;
        }
    }

    /** A quiet session is not cut off while forks measure, and no DDL waits for a day for what others hold. */
    static void prepare(Connection connection) throws SQLException {
        Sql.execute(connection, "SET SESSION wait_timeout = 28800, lock_wait_timeout = 60");
    }

    /** What is logged on a server that has become a replica is not on its source, and may stop its replication. */
    private Optional<String> demotion(Connection open) throws SQLException {
        return !server.isOwn() && !sparesBinlog && new Replication(open).replica() == Replication.Replica.YES
                ? Optional.of("the server has become a replica, and the run writes to its binary log")
                : Optional.empty();
    }

    static long id(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
            row.next();
            return row.getLong(1);
        }
    }

    private RunSchema runSchema() {
        return new RunSchema(
                connection,
                server.endpoint(),
                terms.schema(),
                terms.schemaNamed().isPresent(),
                !server.isOwn() && dataNodes > 0,
                notes);
    }

    /** In which the run's tables are. */
    public String schema() {
        return terms.schema();
    }

    /** Whether bytes of tables on disk can be known: the account may flush them. */
    public boolean measuresDisk() {
        return measuresDisk;
    }

    @Override
    public MySqlTable store(String name, Design design, EncodedValues values) throws SQLException {
        return MySqlTable.of(connection, schema(), name, design, values).marked(comment(name));
    }

    @Override
    public ForkPlan.Place place(String name, Design design, DiskSpace disk) {
        // a table of InnoDB is on the server alone that made it
        List<Endpoint> others = design.get(StoreKinds.FACTOR).isOnAllServers(design) ? server.others() : List.of();
        return new ForkPlan.Place(server.endpoint(), others, schema(), name, disk, List.of());
    }

    @Override
    public DiskSpace disk(Store table) throws SQLException {
        return measuresDisk ? table.disk(dataDirectory()) : DiskSpace.UNKNOWN;
    }

    /** Only what runs here, and is ours, has files that are ours to look at. */
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

    /** What a table of the run is to have as its comment, by which {@link #drop} knows it. */
    public String comment(String table) {
        return mark.orElseThrow().comment(table);
    }

    /** Drops a table that this run made; nothing happens if there is none, or one that somebody else made. */
    @Override
    public void drop(String table) throws SQLException {
        if (!isAlive()) {
            connectAnew(); // the connection alone may be gone: an administrator or a time-out has ended it
        }
        MySqlTable.drop(connection, terms.schema(), table, comment(table));
    }

    /**
     * Waits while the server has too much to do, or its load cannot be read.
     *
     * @param check is run every second meanwhile, and may throw
     * @throws WatchLostException if the load, or the run's lock, can no longer be watched
     */
    public void awaitCalm(Runnable check) throws InterruptedException {
        if (watch.isPresent() && watch.get().awaitCalm(why -> notes.accept("paused: " + why), check)) {
            notes.accept(LoadWatch.GOING_ON);
        }
    }

    /** The same, for code that may not be interrupted: the thread's flag says that it was. */
    public void pauseIfBusy(Runnable check) {
        try {
            awaitCalm(check);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What has been over the limit, or has kept the load from being read, since the last {@link #awaitCalm}. */
    public Optional<String> disturbance() {
        return watch.flatMap(LoadWatch::disturbance);
    }

    /** Tells a server that is gone from a statement that failed. */
    @Override
    public boolean isAlive() {
        try {
            return connection.isValid(VALID_SECONDS);
        } catch (SQLException e) {
            return false;
        }
    }

    /**
     * Tells a failure of one trial from one of the server, after which there is no sense in going on with others.
     *
     * @param doing what failed
     * @throws ServerException if the server is gone
     * @throws AdmissionException if it has no more room, or has become read-only
     */
    @Override
    public void requireServer(String doing, Exception failure) {
        if (!isAlive()) {
            throw lost(doing, failure.getMessage());
        }
        ServerFailure.full(failure)
                .or(() -> ServerFailure.readOnly(terms.schema(), failure))
                .ifPresent(refusal -> {
                    throw refusal;
                });
    }

    /** What to throw for a server that is gone. */
    public ServerException lost(String when, String reason) {
        return new ServerException("the server " + server.endpoint() + " was lost while " + when + " (" + reason
                + "); what had been measured before is kept");
    }

    /** Drops all that the run made, as far as the server can be reached, and lets the lock go. */
    @Override
    public void close() {
        watch.ifPresent(LoadWatch::excuse);
        try {
            if (mark.isPresent()) {
                leave(mark.get());
            }
            if (ownsConnection) {
                connection.close();
            }
        } catch (SQLException | AdmissionException e) {
            if (!server.isOwn()) {
                notes.accept("the schema " + terms.schema() + " could not be removed (" + e.getMessage()
                        + "); 'blobmark cleanup --schema " + terms.schema() + "' with the same --server removes it");
            }
        } finally {
            watch.ifPresent(LoadWatch::close);
        }
    }

    private void leave(Marker own) throws SQLException {
        if (isAlive()) {
            leave(own, connection);
        } else {
            try (Connection fresh = Driver.connectForLoading(server.endpoint(), "")) {
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
