package dev.blobmark.lab.guest;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.server.EmbeddedServer;
import dev.blobmark.lab.server.Environment;
import dev.blobmark.lab.server.Incident;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A run's stay on a server, from the checks before anything is written to the dropping of all that was. On a server that
 * Blobmark started there is no lock and, unless asked for, no watch; the rest is the same. Confined to the thread of the run,
 * whose loading connection it shares.
 */
public final class Visit implements AutoCloseable {

    private static final int VALID_SECONDS = 5;

    /** ER_DISK_FULL, and ER_RECORD_FILE_FULL, which is InnoDB's. */
    private static final Set<Integer> FULL = Set.of(1021, 1114);

    /** In messages: the system's ENOSPC, and HA_ERR_RECORD_FILE_FULL, as which MariaDB tells that a table could not be made. */
    private static final String NO_ROOM =
            "(?s).*([Ee]rrcode: 28\\b|error 28\\b|errno: 135\\b|No space left on device).*";

    private final Server server;
    private final Terms terms;
    private final Consumer<String> notes;
    private Connection connection;
    private boolean ownsConnection;
    private boolean sparesBinlog;
    private Optional<Mark> mark = Optional.empty();
    private Optional<LoadWatch> watch = Optional.empty();
    private boolean measuresDisk = true;

    /** That were ready when the run began; 0 where there is no cluster. */
    private int dataNodes;

    /**
     * @param connection on which the run loads, until {@link #restart}
     * @param notes is told what the user should know of, a line each
     */
    public Visit(Server server, Connection connection, Terms terms, Consumer<String> notes) {
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
     * @param onCritical is told, once and on another thread, what is over the critical load
     * @throws GuestException if the run cannot be let in; nothing has been written then
     */
    public void begin(
            Map<String, String> variables, Cargo cargo, String version, String run, Consumer<String> onCritical)
            throws SQLException {
        prepare(connection);
        Preflight.Clearance clearance = new Preflight(connection, server, variables, terms, cargo, notes).check();
        measuresDisk = clearance.diskBytes();
        dataNodes = readyDataNodes();
        if (!server.isOwn()
                || terms.maxLoad().isPresent()
                || !terms.criticalLoad().equals(LoadLimits.NONE)) {
            LoadLimits max = terms.maxLoad().orElse(server.isOwn() ? LoadLimits.NONE : LoadLimits.USUAL);
            watch = Optional.of(
                    new LoadWatch(this::lockedConnection, terms.schema(), max, terms.criticalLoad(), onCritical));
        }
        removeDead();
        sparesBinlog = clearance.spareBinlog();
        spareBinlog();
        mark = Optional.of(claim(version, run, !sparesBinlog));
        connection.setCatalog(terms.schema());
        watch.ifPresent(LoadWatch::start);
    }

    private void spareBinlog() throws SQLException {
        if (sparesBinlog) {
            Mark.execute(connection, "SET SESSION sql_log_bin = 0");
        }
    }

    /**
     * Starts the server again, one of Blobmark's own, so that its buffer pool has nothing of any table. The loading connection is
     * another one afterwards, and the server another process.
     *
     * @param environment that the server was started for
     */
    public void restart(Environment environment) throws SQLException {
        connection.close();
        ((EmbeddedServer) server).restart();
        connection = Driver.connectForLoading(server.endpoint(), terms.schema());
        ownsConnection = true;
        prepare(connection);
        spareBinlog();
        environment.setOfLayout(connection);
    }

    /** On which the run loads. */
    public Connection connection() {
        return connection;
    }

    /** The processes that the server is, where they are of this machine and Blobmark started them. */
    public List<Long> serverPids() {
        return server.pids();
    }

    /** What has happened to the server since it was asked before; of a cluster of the user's, how many of its data nodes are not ready. */
    public List<Incident> incidents() {
        if (server.isOwn() || dataNodes == 0) {
            return server.incidents();
        }
        int ready = readyDataNodes();
        return ready >= dataNodes
                ? List.of()
                : List.of(new Incident(
                        Instant.EPOCH, (dataNodes - ready) + " of " + dataNodes + " data nodes were lost"));
    }

    /** Starts again what of the server was lost, where that can be done. */
    public void heal() {
        server.heal().forEach(notes);
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
    private static void prepare(Connection connection) throws SQLException {
        Mark.execute(connection, "SET SESSION wait_timeout = 28800, lock_wait_timeout = 60");
    }

    /** The sign that the run is alive goes with the connection that has it. */
    private Connection lockedConnection() throws SQLException {
        Connection locked = Driver.connectForLoading(server.endpoint(), "");
        try {
            prepare(locked);
            if (!Mark.lock(locked, terms.schema())) {
                throw new GuestException("another run is at work in the schema " + terms.schema() + " of "
                        + server.endpoint()
                        + ", and two would measure each other: wait for its end, or name another schema"
                        + " with --schema");
            }
            return locked;
        } catch (SQLException | RuntimeException e) {
            locked.close();
            throw e;
        }
    }

    private void removeDead() throws SQLException {
        Optional<Mark> dead = Mark.read(connection, terms.schema());
        if (dead.isPresent()) {
            dead.get().remove(connection);
            notes.accept("removed what run " + dead.get().run() + " had left in the schema " + terms.schema());
        }
    }

    private Mark claim(String version, String run, boolean isLogged) throws SQLException {
        String schema = terms.schema();
        boolean exists = Mark.exists(connection, schema);
        boolean isEmpty = Mark.contents(connection, schema).isEmpty();
        if (exists && (terms.schemaNamed().isEmpty() || !isEmpty)) {
            throw new GuestException("the schema " + schema + " of " + server.endpoint()
                    + " is not Blobmark's, and nothing in it was touched; choose another with --schema NAME"
                    + (isGuestInCluster()
                            ? ". Or it is of a run that entered the cluster by another SQL node, where alone its mark and"
                                    + " its lock are: name that one, or wait for the run's end"
                            : isEmpty ? ", or have this one, which is empty, with --schema " + schema : ""));
        }
        Mark made = Mark.of(schema, version, run, !exists, isLogged);
        if (!exists) {
            Mark.execute(connection, "CREATE DATABASE `" + schema + "`");
        }
        made.write(connection);
        return made;
    }

    /** In which the run's tables are. */
    public String schema() {
        return terms.schema();
    }

    /** Whether bytes of tables on disk can be known: the account may flush them. */
    public boolean measuresDisk() {
        return measuresDisk;
    }

    /**
     * To be called before a table is made: what has not been announced is not dropped.
     *
     * @throws GuestException if it is there already, and of a run that entered the cluster by another SQL node
     */
    public void announce(String table) throws SQLException {
        Mark own = mark.orElseThrow();
        // a run there has its mark and its lock there, so that neither kept this one out
        if (isGuestInCluster()
                && Mark.contents(connection, own.schema()).contains(table)
                && !own.tables(connection).contains(table)) {
            throw new GuestException(
                    "the table " + own.schema() + "." + table + " is there, and not of this run: another"
                            + " has entered the cluster by another SQL node. Wait for its end, or name another schema with"
                            + " --schema");
        }
        own.announce(connection, table);
    }

    private boolean isGuestInCluster() {
        return !server.isOwn() && dataNodes > 0;
    }

    /**
     * Waits while the server has too much to do.
     *
     * @param check is run every second meanwhile, and may throw
     * @throws ServerException if the server does not answer any more
     */
    public void awaitCalm(Runnable check) throws InterruptedException {
        if (watch.isPresent() && watch.get().awaitCalm(over -> notes.accept("paused: " + over), check)) {
            notes.accept("going on: the load is below --max-load again");
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

    /** What has been over the limit since the last {@link #awaitCalm}. */
    public Optional<String> disturbance() {
        return watch.flatMap(LoadWatch::disturbance);
    }

    /** Tells a server that is gone from a statement that failed. */
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
     * @throws GuestException if it has no more room
     */
    public void requireServer(String doing, Exception failure) {
        if (!isAlive()) {
            throw lost(doing, failure.getMessage());
        }
        full(failure).ifPresent(full -> {
            throw full;
        });
    }

    /** What to throw for a server that is gone. */
    public ServerException lost(String when, String reason) {
        return new ServerException("the server " + server.endpoint() + " was lost while " + when + " (" + reason
                + "); what had been measured before is kept");
    }

    /** What to throw for a statement that failed because there is no more room, if that is why. */
    static Optional<GuestException> full(Exception failure) {
        return Stream.<Throwable>iterate(failure, e -> e != null, Throwable::getCause)
                .filter(e -> e instanceof SQLException sql && FULL.contains(sql.getErrorCode())
                        || String.valueOf(e.getMessage()).matches(NO_ROOM))
                .findFirst()
                .map(e -> new GuestException(
                        "the server has no more room (" + e.getMessage()
                                + "); the run's tables are dropped. Make room on its disk, or load less with --methods and --set",
                        failure));
    }

    /** Drops all that the run made, as far as the server can be reached, and lets the lock go. */
    @Override
    public void close() {
        try {
            if (mark.isPresent()) {
                leave(mark.get());
            }
            if (ownsConnection) {
                connection.close();
            }
        } catch (SQLException e) {
            if (!server.isOwn()) {
                notes.accept("the schema " + terms.schema() + " could not be removed (" + e.getMessage()
                        + "); 'blobmark cleanup' with the same --server removes it");
            }
        } finally {
            watch.ifPresent(LoadWatch::close);
        }
    }

    private void leave(Mark own) throws SQLException {
        if (isAlive()) {
            leave(own, connection);
        } else {
            try (Connection fresh = Driver.connectForLoading(server.endpoint(), "")) {
                prepare(fresh);
                leave(own, fresh);
            }
        }
    }

    /** Another's mark, after a cleanup of everything, is left alone. */
    private void leave(Mark own, Connection open) throws SQLException {
        Optional<Mark> now = Mark.read(open, own.schema());
        if (now.isPresent() && now.get().owner().equals(own.owner())) {
            List<String> others = own.remove(open);
            if (!others.isEmpty() && own.isSchemaMade()) {
                notes.accept("the schema " + own.schema() + " stays, since it has what is not Blobmark's: "
                        + String.join(", ", others));
            }
        }
    }
}
