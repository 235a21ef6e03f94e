package dev.blobmark.bench.guest;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;

/** The source during a fault, and what an administrator can do to it. */
final class Scene implements AutoCloseable {

    /** As in docs/adr/0029: 32 digits of the SHA-256 of the schema's name. */
    private static final String LOCK = "'blobmark:" + sha256(Pair.SCHEMA).substring(0, 32) + "'";

    private static final String SESSIONS = "SELECT id FROM information_schema.processlist WHERE user = 'guest'";

    private final Pair pair;
    private final boolean isLogged;
    private final String tableOfRun;
    private Sql root;

    /** The session that takes the lock. */
    private Sql lockHolder;

    /**
     * @param isLogged whether the run writes to the binary log; statements on its tables then do so too
     * @param tableOfRun the table that the run creates last
     */
    Scene(Pair pair, boolean isLogged, String tableOfRun) throws SQLException {
        this.pair = pair;
        this.isLogged = isLogged;
        this.tableOfRun = tableOfRun;
        root = connect();
    }

    private Sql connect() throws SQLException {
        Sql sql = pair.onSource();
        return isLogged ? sql : sql.unlogged();
    }

    Pair pair() {
        return pair;
    }

    /**
     * The administrator's session. It writes to the binary log only if the run does: otherwise its tables are not on
     * the replica.
     */
    Sql root() {
        return root;
    }

    void killAll() throws SQLException {
        kill(root.strings(SESSIONS));
    }

    /** Kills the session that was opened first, on which a run loads. */
    void killFirst() throws SQLException {
        kill(root.strings(SESSIONS + " ORDER BY id LIMIT 1"));
    }

    /** Kills the session that holds the lock of a live run. */
    void killLocked() throws SQLException {
        kill(root.strings("SELECT IS_USED_LOCK(" + LOCK + ") FROM DUAL WHERE IS_USED_LOCK(" + LOCK + ") IS NOT NULL"));
    }

    private void kill(List<String> sessions) {
        root.attempt(sessions.stream().map(id -> "KILL " + id).toList());
    }

    void takeLock() throws SQLException {
        lockHolder = pair.onSource();
        if (!lockHolder.strings("SELECT GET_LOCK(" + LOCK + ", 10)").equals(List.of("1"))) {
            throw new IllegalStateException("the lock " + LOCK + " could not be taken");
        }
    }

    void readOnly(boolean on) throws SQLException {
        String name = pair.product() == Product.MYSQL && on ? "super_read_only" : "read_only";
        root.execute("SET GLOBAL " + name + " = " + (on ? "ON" : "OFF"));
    }

    void restart() throws SQLException {
        pair.source().restart();
        root = connect();
    }

    void moveTables() throws SQLException {
        root.execute("CREATE DATABASE blobmark_moved");
        for (String table : root.strings(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = '" + Pair.SCHEMA + "'")) {
            root.execute("RENAME TABLE blobmark.`" + table + "` TO blobmark_moved.`" + table + "`");
        }
    }

    void foreignObjects() throws SQLException {
        root.execute("CREATE TABLE blobmark.customers (id INT PRIMARY KEY)")
                .execute("INSERT INTO blobmark.customers VALUES (1), (2)")
                .execute("CREATE VIEW blobmark.first_customer AS SELECT MIN(id) FROM blobmark.customers")
                .execute("CREATE PROCEDURE blobmark.count_customers() SELECT COUNT(*) FROM blobmark.customers")
                .execute("CREATE EVENT blobmark.weekly ON SCHEDULE EVERY 7 DAY STARTS '2037-01-01' DO SELECT 1");
    }

    /** Creates a foreign table with the name of one of the run, unless the run has already created that. */
    void foreignTableOfRun() throws SQLException {
        if (!root.isAny(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = 'blobmark' AND table_name = '"
                        + tableOfRun + "'")) {
            root.execute("CREATE TABLE blobmark.`" + tableOfRun + "` (mine INT PRIMARY KEY)")
                    .execute("INSERT INTO blobmark.`" + tableOfRun + "` VALUES (42)");
        }
    }

    void removeForeign() throws SQLException {
        root.attempt(List.of(
                "DROP VIEW blobmark.first_customer",
                "DROP TABLE blobmark.customers",
                "DROP PROCEDURE blobmark.count_customers",
                "DROP EVENT blobmark.weekly"));
        if (root.isAny(
                "SELECT column_name FROM information_schema.columns WHERE table_schema = 'blobmark' AND table_name = '"
                        + tableOfRun + "' AND column_name = 'mine'")) {
            root.execute("DROP TABLE blobmark.`" + tableOfRun + "`");
        }
        removeEmpty();
    }

    /** Drops Blobmark's schema if nothing is in it. */
    void removeEmpty() throws SQLException {
        if (root.isAny("SELECT schema_name FROM information_schema.schemata WHERE schema_name = 'blobmark'")
                && !root.isAny("SELECT 1 FROM information_schema.tables WHERE table_schema = 'blobmark'")) {
            root.execute("DROP DATABASE blobmark");
        }
    }

    void markerOf2099() throws SQLException {
        for (String comment : root.strings("SELECT table_comment FROM information_schema.tables WHERE table_schema = '"
                + Pair.SCHEMA + "' AND table_name = 'blobmark_marker'")) {
            root.execute("ALTER TABLE blobmark.blobmark_marker COMMENT = '"
                    + comment.replace("'", "''").replaceFirst("\\b20\\d\\d-(?=\\d\\d-\\d\\dT)", "2099-") + "'");
        }
    }

    /** Forges markers with the identity of this server, if it is MySQL, which reports it. */
    void forgeMarkers() throws SQLException {
        String server = pair.product() == Product.MYSQL
                ? root.strings("SELECT @@server_uuid").get(0)
                : "0123456789abcdef0123456789abcdef";
        for (String schema : List.of("staging", "planning")) {
            root.execute("CREATE DATABASE " + schema)
                    .execute("CREATE TABLE " + schema + ".invoices (id INT PRIMARY KEY)")
                    .execute("INSERT INTO " + schema + ".invoices VALUES (1)")
                    .execute("CREATE TABLE " + schema + ".blobmark_marker (table_name VARCHAR(64) NOT NULL PRIMARY KEY)"
                            + " COMMENT = 'Blobmark 0.1.0, run of-somebody, owner 0123456789abcdef0123456789abcdef, made "
                            + (schema.equals("staging") ? "2026-01-01T00:00:00Z" : "yesterday")
                            + ", schema made, binlog written, server " + server
                            + ", lock blobmark:0123456789abcdef0123456789abcdef. ''blobmark cleanup'' removes it.'")
                    .execute("INSERT INTO " + schema + ".blobmark_marker VALUES ('invoices')")
                    .execute("GRANT SELECT, DROP ON " + schema + ".* TO 'guest'@'%'");
        }
    }

    private static String sha256(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    @Override
    public void close() throws SQLException {
        if (lockHolder != null) {
            lockHolder.close();
        }
        root.close();
    }
}
