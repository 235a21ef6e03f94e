package dev.blobmark.bench.guest;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.server.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A source and its replica, both with foreign contents and an account {@code guest} that has the grants of
 * docs/guest.md. The source's directory is on a small file system of its own if this user may mount one.
 */
final class Pair implements AutoCloseable {

    static final String SCHEMA = "blobmark";
    static final String PASSWORD = "a guest's own";

    private static final String GUEST = "'guest'@'%'";
    private static final String REPLICATOR = "replica";
    private static final String REPLICATOR_PASSWORD = "of-the-fixture";
    /** ER_OPTION_PREVENTS_STATEMENT. */
    private static final int READ_ONLY = 1290;

    private static final long CATCH_UP_NANOS = 20_000_000_000L;

    private final Product product;
    private final Optional<Path> mysql;
    private final Path cache;
    private final SmallDisk disk;
    private final Path directory;
    private final String guide;
    private OwnServer source;
    private OwnServer replica;

    /** @param guide the text of docs/guest.md */
    Pair(Product product, Optional<Path> mysql, Path cache, Path scratch, String guide) throws IOException {
        this.product = product;
        this.mysql = mysql;
        this.cache = cache;
        this.guide = guide;
        this.directory = Files.createDirectories(scratch.resolve(product.id() + "-replica"));
        this.disk = SmallDisk.mount(Files.createDirectories(scratch.resolve(product.id() + "-source")));
        start();
    }

    private void start() {
        source = product.start(cache, mysql, 1, disk.path());
        replica = product.start(cache, mysql, 2, directory);
    }

    Product product() {
        return product;
    }

    OwnServer source() {
        return source;
    }

    SmallDisk disk() {
        return disk;
    }

    /** The source's address for {@code --server}. */
    String address() {
        return "mysql://guest@" + source.endpoint().authority() + "/";
    }

    Sql onSource() throws SQLException {
        return new Sql(source.endpoint());
    }

    Sql onReplica() throws SQLException {
        return new Sql(replica.endpoint());
    }

    /**
     * Restores the initial state of both servers, whatever has happened to them.
     *
     * @param isReplicaCrowded whether the replica has a schema of the same name as Blobmark's on the source
     */
    void restore(boolean isReplicaCrowded) throws SQLException {
        disk.empty();
        if (!answers(source) || !answers(replica)) {
            close(source);
            close(replica);
            start();
        }
        List<String> writable =
                new ArrayList<>(List.of("SET GLOBAL read_only = OFF", "SET GLOBAL time_zone = 'SYSTEM'"));
        if (product == Product.MYSQL) {
            writable.add(0, "SET GLOBAL super_read_only = OFF");
        }
        try (Sql old = onSource();
                Sql young = onReplica()) {
            for (Sql sql : List.of(young, old)) {
                sql.attempt(product.stopReplicating()).executeAll(writable).unlogged();
                ForeignContents.clear(sql);
                ForeignContents.create(sql);
                sql.execute("CREATE USER '" + REPLICATOR + "'@'%' IDENTIFIED BY '" + REPLICATOR_PASSWORD + "'");
                sql.execute("GRANT REPLICATION SLAVE ON *.* TO '" + REPLICATOR + "'@'%'");
                sql.execute("CREATE USER " + GUEST + " IDENTIFIED BY '" + PASSWORD.replace("'", "''") + "'");
                grant(sql);
                sql.attempt(product.forgetHistory());
            }
            if (isReplicaCrowded) {
                young.execute("CREATE DATABASE " + SCHEMA);
                young.execute("CREATE TABLE " + SCHEMA + ".kept (id INT PRIMARY KEY)");
                young.execute("INSERT INTO " + SCHEMA + ".kept VALUES (1)");
            }
        }
        follow(onReplica(), source);
    }

    /** Grants exactly the privileges of docs/guest.md. */
    void grant(Sql sql) throws SQLException {
        sql.executeAll(Documents.grants(guide, product, GUEST));
    }

    private void follow(Sql session, OwnServer leader) throws SQLException {
        try (Sql follower = session) {
            follower.executeAll(product.replicate(leader.endpoint(), REPLICATOR, REPLICATOR_PASSWORD));
        }
    }

    /**
     * Makes the replica the source and the source its replica, as in the manuals of MySQL and MariaDB: first the source
     * becomes read-only, and the replica receives everything that it has logged.
     */
    void swapRoles() throws SQLException, InterruptedException {
        try (Sql old = onSource()) {
            old.execute("SET GLOBAL read_only = ON");
        }
        lag(false).ifPresent(why -> {
            throw new IllegalStateException("the roles cannot be swapped: " + why);
        });
        try (Sql young = onReplica()) {
            young.executeAll(product.stopReplicating());
        }
        follow(onSource(), replica);
    }

    void swapRolesBack() throws SQLException, InterruptedException {
        lag(true);
        try (Sql old = onSource()) {
            old.attempt(product.stopReplicating()).execute("SET GLOBAL read_only = OFF");
        }
        follow(onReplica(), source);
    }

    /** The foreign contents of both servers. */
    SortedMap<String, String> contents() throws SQLException {
        SortedMap<String, String> all = new TreeMap<>();
        try (Sql old = onSource();
                Sql young = onReplica()) {
            ForeignContents.read(old).forEach((thing, state) -> all.put("source, " + thing, state));
            ForeignContents.read(young).forEach((thing, state) -> all.put("replica, " + thing, state));
        }
        return all;
    }

    /**
     * Writes a row to the source, and waits until it is on the replica.
     *
     * @param isSwapped whether the roles are swapped
     * @return why the row does not arrive; empty if it does
     */
    Optional<String> lag(boolean isSwapped) throws SQLException, InterruptedException {
        Endpoint leader = (isSwapped ? replica : source).endpoint();
        Endpoint follower = (isSwapped ? source : replica).endpoint();
        int beat = ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);
        try (Sql from = new Sql(leader);
                Sql to = new Sql(follower)) {
            if (!beats(from, beat)) {
                return error(to);
            }
            long deadline = System.nanoTime() + CATCH_UP_NANOS;
            while (!to.isAny("SELECT n FROM ops.heartbeat WHERE n = " + beat)) {
                Optional<String> stopped = error(to);
                if (stopped.isPresent()) {
                    return stopped;
                }
                if (System.nanoTime() - deadline > 0) {
                    return Optional.of("replication does not catch up: " + lastError(to));
                }
                Thread.sleep(20);
            }
            return Optional.empty();
        }
    }

    /** Writes the row. Returns false if super_read_only prevents even an administrator from writing. */
    private static boolean beats(Sql leader, int beat) throws SQLException {
        try {
            leader.execute("INSERT INTO ops.heartbeat VALUES (" + beat + ")");
            return true;
        } catch (SQLException e) {
            if (e.getErrorCode() == READ_ONLY) {
                return false;
            }
            throw e;
        }
    }

    private Optional<String> error(Sql follower) throws SQLException {
        Optional<String> running = follower.field(product.replicaStatus(), product.word("Replica_SQL_Running"));
        return running.equals(Optional.of("Yes"))
                ? Optional.empty()
                : Optional.of("replication is stopped: " + lastError(follower));
    }

    private String lastError(Sql follower) throws SQLException {
        return follower.field(product.replicaStatus(), "Last_SQL_Error").orElse("")
                + follower.field(product.replicaStatus(), "Last_IO_Error").orElse("");
    }

    boolean isSourceUp() {
        return answers(source);
    }

    private static boolean answers(OwnServer server) {
        try (Sql sql = new Sql(server.endpoint())) {
            return sql.isAny("SELECT 1");
        } catch (SQLException e) {
            return false;
        }
    }

    private static void close(OwnServer server) {
        try {
            server.close();
        } catch (RuntimeException e) {
            System.err.println("guest-faults: " + e.getMessage());
        }
    }

    @Override
    public void close() throws IOException {
        disk.empty();
        close(source);
        close(replica);
        disk.close();
    }
}
