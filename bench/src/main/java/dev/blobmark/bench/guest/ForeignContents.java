package dev.blobmark.bench.guest;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The contents of a server that do not belong to Blobmark and must not change. */
final class ForeignContents {

    private static final String OF_THE_SERVER = "('mysql', 'sys', 'information_schema', 'performance_schema')";

    /** Accounts that are not compared: those of the server and the fixture, and the guest's, which faults change. */
    private static final String ACCOUNTS_LEFT_OUT =
            "('blobmark', 'mariadb.sys', 'mysql.sys', 'mysql.session', 'mysql.infoschema', 'PUBLIC', 'replica', 'guest')";

    private static final List<String> STATEMENTS = List.of(
            "CREATE DATABASE shop",
            "CREATE TABLE shop.orders (id INT PRIMARY KEY AUTO_INCREMENT, paid BLOB, day DATE)",
            "INSERT INTO shop.orders (paid, day) SELECT REPEAT(CHAR(65 + ORDINAL_POSITION MOD 26), 100 + ORDINAL_POSITION),"
                    + " '2026-01-01' FROM information_schema.columns LIMIT 300",
            "CREATE TABLE shop.customers (id INT PRIMARY KEY, name VARCHAR(40)) COMMENT = 'not of a benchmark'",
            "INSERT INTO shop.customers VALUES (1, 'one'), (2, 'two')",
            "CREATE VIEW shop.paid_orders AS SELECT id FROM shop.orders WHERE paid IS NOT NULL",
            "CREATE PROCEDURE shop.close_day() SELECT 1",
            "CREATE FUNCTION shop.vat(net INT) RETURNS INT DETERMINISTIC RETURN net / 5",
            "CREATE EVENT shop.nightly ON SCHEDULE EVERY 1 DAY STARTS '2037-01-01' DO DELETE FROM shop.orders WHERE 1 = 0",
            "CREATE TRIGGER shop.stamp BEFORE INSERT ON shop.orders FOR EACH ROW SET NEW.day = '2026-01-02'",
            // names like Blobmark's own
            "CREATE DATABASE blobmark_archive",
            "CREATE TABLE blobmark_archive.blobmark_marker (note INT) COMMENT = 'of the archive'",
            "CREATE TABLE blobmark_archive.t01_plain (id INT PRIMARY KEY)",
            "INSERT INTO blobmark_archive.t01_plain VALUES (7)",
            "CREATE DATABASE ops",
            "CREATE TABLE ops.heartbeat (n INT PRIMARY KEY)",
            "CREATE USER 'shopkeeper'@'%' IDENTIFIED BY 'a shopkeeper''s'",
            "GRANT SELECT, INSERT ON shop.* TO 'shopkeeper'@'%'",
            "CREATE USER 'auditor'@'localhost' IDENTIFIED BY 'an auditor''s'",
            "GRANT SELECT ON shop.orders TO 'auditor'@'localhost'");

    private ForeignContents() {}

    /** Removes everything that the server itself has not created. */
    static void clear(Sql sql) throws SQLException {
        for (String schema : sql.strings(
                "SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN " + OF_THE_SERVER)) {
            sql.execute("DROP DATABASE `" + schema + "`");
        }
        for (String account : sql.strings("SELECT CONCAT(QUOTE(user), '@', QUOTE(host)) FROM mysql.user WHERE user IN"
                + " ('shopkeeper', 'auditor', 'replica', 'guest')")) {
            sql.execute("DROP USER " + account);
        }
    }

    static void create(Sql sql) throws SQLException {
        sql.executeAll(STATEMENTS);
    }

    /** Objects and their states. Of Blobmark's schema, only what Blobmark has not created. */
    static SortedMap<String, String> read(Sql sql) throws SQLException {
        SortedMap<String, String> all = new TreeMap<>();
        for (String schema : sql.strings(
                "SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN " + OF_THE_SERVER)) {
            if (!schema.equals(Pair.SCHEMA)) {
                all.put("schema " + schema, "there");
            }
            readTables(sql, schema, all);
            readPrograms(sql, schema, all);
        }
        for (String account :
                sql.strings("SELECT CONCAT(QUOTE(user), '@', QUOTE(host)) FROM mysql.user WHERE user NOT IN "
                        + ACCOUNTS_LEFT_OUT)) {
            List<String> grants = new ArrayList<>(sql.strings("SHOW GRANTS FOR " + account));
            grants.addAll(sql.strings("SHOW CREATE USER " + account));
            all.put("account " + account, String.join("; ", grants));
        }
        all.remove("table ops.heartbeat");
        return all;
    }

    private static void readTables(Sql sql, String schema, SortedMap<String, String> all) throws SQLException {
        String of = " FROM information_schema.tables WHERE table_schema = '" + schema + "' AND table_type ";
        for (String table : sql.strings("SELECT table_name" + of + "<> 'VIEW'")) {
            String name = "`" + schema + "`.`" + table + "`";
            if (schema.equals(Pair.SCHEMA) && isOfRun(sql, table)) {
                continue;
            }
            all.put(
                    "table " + schema + "." + table,
                    sql.column("CHECKSUM TABLE " + name, 2) + " "
                            + sql.column("SHOW CREATE TABLE " + name, 2)
                                    .get(0)
                                    .replaceFirst(" AUTO_INCREMENT=\\d+", ""));
        }
        for (String view : sql.strings("SELECT table_name" + of + "= 'VIEW'")) {
            all.put(
                    "view " + schema + "." + view,
                    sql.column("SHOW CREATE VIEW `" + schema + "`.`" + view + "`", 2)
                            .toString());
        }
    }

    /** Tables of faults have a column {@code mine}, whatever their names. */
    private static boolean isOfRun(Sql sql, String table) throws SQLException {
        return (table.equals("blobmark_marker") || table.matches("[tw]\\d\\d_.*"))
                && !sql.isAny("SELECT column_name FROM information_schema.columns WHERE table_schema = '" + Pair.SCHEMA
                        + "' AND table_name = '" + table + "' AND column_name = 'mine'");
    }

    private static void readPrograms(Sql sql, String schema, SortedMap<String, String> all) throws SQLException {
        String is = "_schema = '" + schema + "'";
        for (String routine :
                sql.strings("SELECT CONCAT(routine_type, ' ', routine_name, ': ', routine_definition) FROM"
                        + " information_schema.routines WHERE routine" + is)) {
            all.put("routine " + schema + ": " + routine, "there");
        }
        for (String event : sql.strings("SELECT CONCAT(event_name, ': ', event_definition) FROM"
                + " information_schema.events WHERE event" + is)) {
            all.put("event " + schema + ": " + event, "there");
        }
        for (String trigger : sql.strings("SELECT CONCAT(trigger_name, ': ', action_statement) FROM"
                + " information_schema.triggers WHERE trigger" + is)) {
            all.put("trigger " + schema + ": " + trigger, "there");
        }
    }

    /** The differences, one sentence each. */
    static List<String> differences(String where, SortedMap<String, String> before, SortedMap<String, String> after) {
        List<String> differences = new ArrayList<>();
        before.forEach((thing, state) -> {
            if (!after.containsKey(thing)) {
                differences.add(where + ": " + thing + " is gone");
            } else if (!after.get(thing).equals(state)) {
                differences.add(where + ": " + thing + " was changed");
            }
        });
        after.keySet().stream()
                .filter(thing -> !before.containsKey(thing))
                .forEach(thing -> differences.add(where + ": " + thing + " is new"));
        return differences;
    }
}
