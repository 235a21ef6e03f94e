package dev.blobmark.bench.reencode.random;

import static dev.blobmark.bench.reencode.random.Table.quoted;

import dev.blobmark.bench.reencode.random.Scenario.Act;
import dev.blobmark.bench.reencode.random.Scenario.After;
import dev.blobmark.bench.reencode.random.Scenario.Change;
import dev.blobmark.bench.reencode.random.Scenario.Statement;
import dev.blobmark.bench.reencode.random.Scenario.Step;
import dev.blobmark.bench.reencode.random.Table.Column;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Draws a scenario. All texts are written as hexadecimal literals, so that no session's settings change what they mean.
 */
final class Draw {

    private static final int KEYS = 60;
    private static final int LAST_PHASE = 3;
    private static final double DEFINING = 0.15;
    private static final double OF_STATEMENTS = 0.08;

    private final Seat seat;
    private final long seed;
    private final SplittableRandom random;
    private final Types types;
    private final List<Types.Type> keyTypes = new ArrayList<>();
    private final List<String> keyNames = new ArrayList<>();
    private final List<Drawn> others = new ArrayList<>();
    private final List<List<String>> keys = new ArrayList<>();
    private final List<Statement> setup = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private final boolean isCopy;
    private final boolean isUnlogged;

    /** Whether the definition of the table is changed meanwhile, which must end a copy. */
    private final boolean isDefining;

    /** Whether sessions log statements, which must end a copy by the log. */
    private final boolean isOfStatements;

    private boolean isNumbered;
    private boolean isKeyUpdatable;
    private Table table;
    private Payload payload;
    private String name;
    private String like = "";
    private String view = "";
    private String procedure = "";
    private String partition = "";
    private int group;
    private int made;

    /** A column that statements write. */
    private record Drawn(String name, Types.Type type, boolean isOmittable) {}

    private Draw(Seat seat, long seed, boolean isUnlogged) {
        this.seat = seat;
        this.seed = seed;
        this.isUnlogged = isUnlogged;
        random = new SplittableRandom(seed * 31 + seat.ordinal());
        types = new Types(seat.isMySql, random);
        isCopy = chance(0.75);
        isDefining = chance(DEFINING);
        isOfStatements = chance(OF_STATEMENTS);
    }

    /** @param isUnlogged whether some sessions write without the binary log */
    static Scenario scenario(Seat seat, long seed, boolean isUnlogged) {
        return new Draw(seat, seed, isUnlogged).draw();
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    @SafeVarargs
    private <T> T one(T... of) {
        return of[random.nextInt(of.length)];
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private Scenario draw() {
        List<String> globals = globals();
        drawTable();
        for (int i = 0; i < KEYS; i++) {
            keys.add(keyTypes.stream().map(type -> type.literal(random)).toList());
        }
        related();
        fill();
        int sessions = 1 + random.nextInt(3);
        List<List<String>> settings = new ArrayList<>();
        List<Boolean> commits = new ArrayList<>();
        boolean isOff = globals.contains("autocommit=0");
        for (int i = 0; i < sessions; i++) {
            List<String> of = settings();
            settings.add(of);
            commits.add(of.contains("autocommit=0") || isOff && !of.contains("autocommit=1"));
        }
        int transactions = 6 + random.nextInt(30);
        for (int i = 0; i < transactions; i++) {
            int session = random.nextInt(sessions);
            transaction(session, commits.get(session));
        }
        Change change = new Change(
                isCopy,
                payload.from(),
                one("zstd:3", "zstd:1", "lz4", "deflate:6", "snappy"),
                one(100, 100, 50),
                isCopy || chance(0.8) ? 1 : 2,
                one(After.NOTHING, After.REVERT, After.FINISH));
        return new Scenario(seat, seed, globals, table, setup, settings, inPhases(), change, true);
    }

    /** Gives each transaction a phase; later ones are no earlier. */
    private List<Step> inPhases() {
        int groups = group + 1;
        int[] phaseOf = new int[groups];
        boolean[] isAwaited = new boolean[groups];
        for (int i = 0; i < groups; i++) {
            phaseOf[i] = isCopy ? random.nextInt(LAST_PHASE + 1) : chance(0.8) ? 0 : 1;
            isAwaited[i] = phaseOf[i] == 0 ? chance(0.3) : chance(0.6);
        }
        Arrays.sort(phaseOf);
        return steps.stream()
                .map(step -> new Step(
                        step.session(),
                        step.act(),
                        step.statement(),
                        step.group(),
                        phaseOf[step.group()],
                        isAwaited[step.group()] && !step.isLate(),
                        step.isLate()))
                .toList();
    }

    /** Defaults of the server for all who connect. */
    private List<String> globals() {
        List<String> globals = new ArrayList<>();
        if (seat.hasLog) {
            if (chance(0.6)) {
                globals.add("binlog_row_image=" + one("'MINIMAL'", "'NOBLOB'", "'FULL'"));
            }
            if (isOfStatements && chance(0.5)) {
                globals.add("binlog_format=" + one("'MIXED'", "'STATEMENT'"));
            }
            if (seat.isMySql) {
                if (chance(0.25)) {
                    globals.add("binlog_transaction_compression=ON");
                }
                if (chance(0.15)) {
                    globals.add("binlog_row_value_options='PARTIAL_JSON'");
                }
                if (chance(0.2)) {
                    globals.add("binlog_row_metadata='FULL'");
                }
            } else if (chance(0.25)) {
                globals.add("log_bin_compress=ON");
                globals.add("log_bin_compress_min_len=" + one("10", "256"));
            }
        }
        if (chance(0.08)) {
            globals.add("autocommit=0");
        }
        if (chance(0.12)) {
            globals.add("sql_mode=" + mode());
        }
        if (chance(0.08)) {
            globals.add((seat.isMySql ? "transaction_isolation=" : "tx_isolation=")
                    + one("'READ-COMMITTED'", "'SERIALIZABLE'", "'REPEATABLE-READ'"));
        }
        if (chance(0.04)) {
            globals.add("completion_type=" + one("'CHAIN'", "'RELEASE'"));
        }
        if (chance(0.05)) {
            globals.add("time_zone='+05:30'");
        }
        if (chance(0.04)) {
            globals.add("sql_quote_show_create=0");
        }
        if (chance(0.04)) {
            globals.add("lock_wait_timeout=1");
        }
        if (chance(0.04)) {
            globals.add("innodb_lock_wait_timeout=1");
        }
        if (chance(0.04)) {
            globals.add(seat.isMySql ? "max_execution_time=20" : "max_statement_time=2");
        }
        if (chance(0.04)) {
            globals.add("sql_safe_updates=1");
        }
        if (chance(0.04)) {
            globals.add("group_concat_max_len=4");
        }
        if (chance(0.04)) {
            globals.add("max_join_size=1000");
        }
        if (chance(0.05)) {
            globals.add("auto_increment_increment=3");
        }
        return globals;
    }

    private String mode() {
        return one(
                "''",
                "'ANSI'",
                "'NO_BACKSLASH_ESCAPES'",
                "'ANSI_QUOTES,STRICT_ALL_TABLES'",
                "'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE'",
                "'NO_AUTO_VALUE_ON_ZERO'",
                seat.isMySql ? "'PAD_CHAR_TO_FULL_LENGTH'" : "'ORACLE'",
                "'IGNORE_SPACE,NO_UNSIGNED_SUBTRACTION'");
    }

    private List<String> settings() {
        List<String> set = new ArrayList<>();
        if (chance(0.2)) {
            set.add("sql_mode=" + mode());
        }
        if (seat.hasLog) {
            if (isOfStatements && chance(0.5)) {
                set.add("binlog_format=" + one("'STATEMENT'", "'MIXED'", "'ROW'"));
            }
            if (chance(0.3)) {
                set.add("binlog_row_image=" + one("'MINIMAL'", "'NOBLOB'", "'FULL'"));
            }
            if (seat.isMySql && chance(0.15)) {
                set.add("binlog_row_value_options='PARTIAL_JSON'");
            }
            if (seat.isMySql && chance(0.2)) {
                set.add("binlog_transaction_compression=" + one("ON", "OFF"));
            }
            if (isUnlogged && chance(0.4)) {
                set.add("sql_log_bin=0");
            }
        }
        if (chance(0.2)) {
            set.add("autocommit=" + one("0", "1"));
        }
        if (chance(0.3)) {
            set.add((seat.isMySql ? "transaction_isolation=" : "tx_isolation=")
                    + one("'READ-COMMITTED'", "'SERIALIZABLE'", "'REPEATABLE-READ'"));
        }
        if (chance(0.1)) {
            set.add("foreign_key_checks=0");
        }
        if (chance(0.1)) {
            set.add("unique_checks=0");
        }
        if (chance(0.1)) {
            set.add("time_zone='" + one("-08:00", "+05:45", "+00:00") + "'");
        }
        if (chance(0.05)) {
            set.add("auto_increment_offset=2");
        }
        if (!seat.isMySql && chance(0.05)) {
            set.add("check_constraint_checks=0");
        }
        return set;
    }

    private void drawTable() {
        name = chance(0.7)
                ? one("orders", "Orders", "t")
                : one("Order Lines", "größe", "ta`ble", "dot.ted", "select", "a".repeat(64), "x$y", "ord%ers_");
        isNumbered = chance(0.25);
        int parts = isNumbered ? 1 : one(1, 1, 2, 3);
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            Types.Type type = isNumbered ? types.number() : types.key(chance(0.015));
            String column = one("id", "Key", "k", "schlüssel", "a key", "`") + (i == 0 ? "" : i);
            keyTypes.add(type);
            keyNames.add(column);
            columns.add(new Column(column, type.sql() + " NOT NULL" + (isNumbered ? " AUTO_INCREMENT" : "")));
        }
        int further = random.nextInt(6);
        for (int i = 0; i < further; i++) {
            other("c" + i, columns);
        }
        payload = Payload.draw(seat.isMySql, isCopy, random);
        String payloadName = one("payload", "payload", "Payload", "data value", "wert´", "json");
        columns.add(random.nextInt(columns.size() + 1), new Column(payloadName, payload.definition()));
        List<String> indexes = new ArrayList<>();
        String list = keyNames.stream().map(Table::quoted).collect(Collectors.joining(", ", "(", ")"));
        double kind = isNumbered ? 0 : random.nextDouble();
        if (kind < 0.8) {
            indexes.add("PRIMARY KEY " + list);
            partitions(parts);
        } else if (kind < 0.9) {
            indexes.add("UNIQUE KEY ukey " + list);
            columns.add(new Column("d", "DOUBLE NOT NULL"));
            others.add(new Drawn("d", new Types.Type("DOUBLE", from -> from.nextInt(1_000_000) + ".5", true), false));
            indexes.add("PRIMARY KEY (d)");
        } else if (kind < 0.97) {
            indexes.add("UNIQUE KEY ukey " + list);
        } else {
            indexes.add("KEY plain " + list);
        }
        isKeyUpdatable = partition.isEmpty() || chance(0.5);
        for (Drawn each : others) {
            if (each.type().isIndexable() && chance(0.25)) {
                indexes.add((each.type().isInteger() && partition.isEmpty() && chance(0.5) ? "UNIQUE " : "")
                        + "KEY " + quoted("i_" + each.name()) + " (" + quoted(each.name())
                        + each.type().prefix()
                        + ")");
            }
        }
        if (chance(0.01) && !payload.isJson()) {
            indexes.add("KEY ipayload (" + quoted(payloadName) + "(10))");
        }
        List<String> options = new ArrayList<>(List.of("ENGINE=InnoDB"));
        if (chance(0.3)) {
            options.add("DEFAULT CHARSET=" + one("latin1", "utf8mb4", "utf8mb3"));
        }
        if (chance(0.2)) {
            options.add("COMMENT=" + one("'it''s a \"check\" (payload) \\\\ one'", "'größe'", "''"));
        }
        if (chance(0.25)) {
            options.add("ROW_FORMAT=" + one("COMPACT", "REDUNDANT", "DYNAMIC", "COMPRESSED"));
        }
        if (isNumbered && chance(0.3)) {
            options.add("AUTO_INCREMENT=1000");
        }
        if (chance(0.1)) {
            options.add("STATS_PERSISTENT=0");
        }
        table = new Table(
                name, List.copyOf(columns), payloadName, List.copyOf(indexes), String.join(" ", options), partition);
    }

    private void other(String base, List<Column> columns) {
        Types.Type type = types.other();
        String column = one(base, base, base.toUpperCase(Locale.ROOT), "größe " + base, base + "\"'");
        double kind = random.nextDouble();
        String comment = chance(0.15)
                ? " COMMENT " + one("'it''s'", "'a \\\\ b'", "'check (payload) first'", "'\"q\"'", "'x; -- y'")
                : "";
        if (kind < 0.12 && !others.isEmpty()) {
            Drawn of = one(others);
            String expression = quoted(of.name()) + " IS NULL";
            columns.add(new Column(
                    column, "INT GENERATED ALWAYS AS (" + expression + ") " + one("VIRTUAL", "STORED") + comment));
            return;
        }
        if (kind < 0.3) {
            String time = one("TIMESTAMP", "DATETIME") + one("", "(3)", "(6)");
            String now = "CURRENT_TIMESTAMP" + time.replaceAll("[A-Z]+", "");
            columns.add(new Column(
                    column,
                    time + " NOT NULL DEFAULT " + now + (chance(0.6) ? " ON UPDATE " + now : "") + invisible()
                            + comment));
            return;
        }
        boolean isNullable = chance(0.5);
        Optional<String> given =
                type.hasDefault() && chance(0.4) ? Optional.of(type.literal(random)) : Optional.empty();
        String invisible = isNullable || given.isPresent() ? invisible() : "";
        columns.add(new Column(
                column,
                type.sql()
                        + (isNullable ? " NULL" : " NOT NULL")
                        + given.map(value -> " DEFAULT " + value).orElse("")
                        + invisible
                        + comment));
        others.add(new Drawn(column, type, isNullable || given.isPresent()));
    }

    private String invisible() {
        return chance(0.12) ? " INVISIBLE" : "";
    }

    private void partitions(int parts) {
        if (!chance(0.18)) {
            return;
        }
        Types.Type type = keyTypes.get(0);
        String column = quoted(keyNames.get(0));
        if (type.isInteger() && chance(0.7)) {
            partition = one(
                    "PARTITION BY HASH (" + column + ") PARTITIONS 3",
                    "PARTITION BY RANGE (" + column
                            + ") (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (25), PARTITION p2 VALUES LESS THAN MAXVALUE)",
                    "PARTITION BY KEY (" + column + ") PARTITIONS 2",
                    "PARTITION BY LIST (" + column + " MOD 2) (PARTITION p0 VALUES IN (0), PARTITION p1 VALUES IN (1"
                            + (type.sql().contains("UNSIGNED") ? "" : ", -1") + "))");
        } else if (type.sql().equals("DATE") || type.sql().startsWith("DATETIME")) {
            partition = "PARTITION BY RANGE COLUMNS (" + column
                    + ") (PARTITION p0 VALUES LESS THAN ('2020-01-15'), PARTITION p1 VALUES LESS THAN (MAXVALUE))";
        } else {
            partition = "PARTITION BY KEY (" + column + ") PARTITIONS 2";
        }
    }

    /** Tables, views and routines next to the table. */
    private void related() {
        setup.add(Statement.same(
                "CREATE TABLE other (id INT PRIMARY KEY AUTO_INCREMENT, note VARCHAR(200), doc JSON, data BLOB"
                        + (seat.isMySql ? ", vec VECTOR(2)" : ", packed TEXT COMPRESSED, at INET6") + ")"));
        setup.add(
                Statement.same(
                        "INSERT INTO other (id, note, doc, data) VALUES (1, 'a', '{\"a\": 1}', 'x'), (2, 'b', '{}', 'y'), (3, 'c', NULL, NULL)"));
        String changed = chance(0.5) ? name.toUpperCase(Locale.ROOT) : name.toLowerCase(Locale.ROOT);
        if (chance(0.25) && !changed.equals(name) && name.length() < 60) {
            like = changed;
            setup.add(Statement.same("CREATE TABLE " + quoted(like) + " LIKE " + quoted(name)));
        }
        if (chance(0.2)) {
            view = "v";
            setup.add(Statement.same("CREATE VIEW v AS SELECT * FROM " + quoted(name)));
        }
        boolean hasTimes =
                table.columns().stream().anyMatch(column -> column.definition().contains(" ON UPDATE "));
        // it writes the same value each time, which changes a row only if the value was encoded meanwhile
        if (chance(0.2) && !hasTimes) {
            procedure = "p";
            setup.add(Statement.same("CREATE PROCEDURE p() UPDATE " + quoted(name) + " SET " + quoted(table.payload())
                    + " = " + payload.value(random).twin() + where()));
        }
        if (chance(0.02)) {
            setup.add(Statement.same("CREATE TRIGGER tr AFTER " + one("INSERT", "DELETE", "UPDATE") + " ON "
                    + quoted(name) + " FOR EACH ROW INSERT INTO other (note) VALUES ('t')"));
        }
        if (chance(0.02) && partition.isEmpty()) {
            setup.add(Statement.same("CREATE TABLE child (id INT PRIMARY KEY, "
                    + IntStream.range(0, keyTypes.size())
                            .mapToObj(i -> "f" + i + " " + keyTypes.get(i).sql())
                            .collect(Collectors.joining(", "))
                    + ", FOREIGN KEY ("
                    + IntStream.range(0, keyTypes.size()).mapToObj(i -> "f" + i).collect(Collectors.joining(", "))
                    + ") REFERENCES " + quoted(name) + " ("
                    + keyNames.stream().map(Table::quoted).collect(Collectors.joining(", ")) + "))"));
        }
    }

    private void fill() {
        int rows = one(0, 3, 20, 20, 40, 40, 60);
        for (int i = 0; i < rows; i += 10) {
            for (int j = i; j < Math.min(rows, i + 10); j++) {
                setup.add(insert("INSERT IGNORE INTO ", name, List.of(keys.get(j)), false));
            }
        }
        if (!like.isEmpty()) {
            for (int i = 0; i < 5; i++) {
                setup.add(insert("INSERT IGNORE INTO ", like, List.of(keys.get(i)), false));
            }
        }
    }

    private String where() {
        return where(one(keys));
    }

    private String where(List<String> key) {
        return IntStream.range(0, key.size())
                .mapToObj(i -> quoted(name) + "." + quoted(keyNames.get(i)) + " = " + key.get(i))
                .collect(Collectors.joining(" AND ", " WHERE ", ""));
    }

    private String order() {
        return keyNames.stream().map(Table::quoted).collect(Collectors.joining(", ", " ORDER BY ", ""));
    }

    /** A statement that inserts rows with random values. */
    private Statement insert(String verb, String into, List<List<String>> of, boolean mayNumber) {
        boolean isAutomatic = mayNumber && isNumbered && chance(0.6);
        boolean isLeftOut = payload.from().equals("none") && !chance(0.9); // an empty value has no codec
        boolean hasPayload =
                !isLeftOut || payload.isJson(); // and is not the same in a column of documents and of bytes
        List<Drawn> written = others.stream()
                .filter(each -> !each.isOmittable() || chance(0.6))
                .toList();
        List<String> columns = new ArrayList<>();
        if (!isAutomatic) {
            columns.addAll(keyNames);
        }
        written.forEach(each -> columns.add(each.name()));
        if (hasPayload) {
            columns.add(table.payload());
        }
        List<String> main = new ArrayList<>();
        List<String> twin = new ArrayList<>();
        for (List<String> key : of) {
            List<String> values = new ArrayList<>(isAutomatic ? List.of() : key);
            written.forEach(each -> values.add(value(each)));
            Statement value = payload.value(random);
            main.add(row(values, hasPayload ? List.of(value.main()) : List.of()));
            twin.add(row(values, hasPayload ? List.of(value.twin()) : List.of()));
        }
        String start = verb
                + quoted(into)
                + columns.stream().map(Table::quoted).collect(Collectors.joining(", ", " (", ") VALUES "));
        return new Statement(start + String.join(", ", main), start + String.join(", ", twin));
    }

    private static String row(List<String> values, List<String> more) {
        List<String> all = new ArrayList<>(values);
        all.addAll(more);
        return "(" + String.join(", ", all) + ")";
    }

    private String value(Drawn of) {
        return of.isOmittable() && chance(0.1) ? "DEFAULT" : of.type().literal(random);
    }

    private List<List<String>> someKeys() {
        Set<List<String>> some = new LinkedHashSet<>();
        int number = one(1, 2, 4);
        for (int i = 0; i < number; i++) {
            some.add(one(keys));
        }
        return List.copyOf(some);
    }

    private static Statement joined(String before, Statement value, String after) {
        return new Statement(before + value.main() + after, before + value.twin() + after);
    }

    /** What an UPDATE sets. */
    private Statement assignments(String of) {
        String column = of + quoted(table.payload()) + " = ";
        Statement set = joined(column, payload.value(random), "");
        if (!others.isEmpty() && chance(0.4)) {
            Drawn other = one(others);
            String more = of + quoted(other.name()) + " = " + other.type().literal(random);
            return chance(0.3) ? Statement.same(more) : joined("", set, ", " + more);
        }
        return set;
    }

    private String moved() {
        List<String> to = one(keys);
        return IntStream.range(0, to.size())
                .mapToObj(i -> quoted(keyNames.get(i)) + " = " + to.get(i))
                .collect(Collectors.joining(", "));
    }

    private Statement write() {
        String table1 = quoted(name);
        int kind = random.nextInt(100);
        if (kind < 18) {
            return joined("UPDATE " + table1 + " SET ", assignments(""), where());
        } else if (kind < 22) {
            return joined("UPDATE " + table1 + " SET ", assignments(""), order() + " LIMIT " + (1 + random.nextInt(9)));
        } else if (kind < 30) {
            return isKeyUpdatable
                    ? Statement.same("UPDATE " + table1 + " SET " + moved() + where())
                    : joined("UPDATE " + table1 + " SET ", assignments(""), where());
        } else if (kind < 40) {
            return insert("INSERT INTO ", name, List.of(one(keys)), true);
        } else if (kind < 45) {
            return insert(one("INSERT INTO ", "INSERT IGNORE INTO "), name, someKeys(), true);
        } else if (kind < 52) {
            return insert("REPLACE INTO ", name, someKeys(), false);
        } else if (kind < 60) {
            Statement insert = insert("INSERT INTO ", name, List.of(one(keys)), false);
            Statement set = assignments("");
            return new Statement(
                    insert.main() + " ON DUPLICATE KEY UPDATE " + set.main(),
                    insert.twin() + " ON DUPLICATE KEY UPDATE " + set.twin());
        } else if (kind < 68) {
            return Statement.same("DELETE FROM " + table1 + where());
        } else if (kind < 70) {
            return Statement.same("DELETE FROM " + table1 + order() + (chance(0.5) ? " DESC" : "") + " LIMIT 2");
        } else if (kind < 76) {
            return select();
        } else if (kind < 82) {
            return several(table1);
        } else if (kind < 85) {
            return Statement.same("DELETE " + table1 + (chance(0.5) ? ", other" : "") + " FROM " + table1
                    + " JOIN other ON other.id = " + (1 + random.nextInt(3)) + where());
        } else if (kind < 88) {
            return load();
        } else if (kind < 91 && !view.isEmpty()) {
            List<String> key = one(keys);
            return joined(
                    "UPDATE v SET ",
                    joined(quoted(table.payload()) + " = ", payload.value(random), ""),
                    where(key).replace(quoted(name) + ".", "v."));
        } else if (kind < 95 && !procedure.isEmpty()) {
            return Statement.same("CALL p()");
        } else if (kind < 98) {
            return Statement.same(one(
                    "UPDATE other SET doc = JSON_SET(doc, '$.a', 2), note = 'n' WHERE id = 1",
                    "INSERT INTO other (note, data) VALUES ('new', 'z')",
                    seat.isMySql
                            ? "INSERT INTO other (note, vec) VALUES ('vec', STRING_TO_VECTOR('[1,2]'))"
                            : "INSERT INTO other (note, packed, at) VALUES ('c', REPEAT('abc', 100), '::1')"));
        }
        return joined("UPDATE " + table1 + " SET ", assignments(""), where());
    }

    /** Rows that are made of rows of the table. */
    private Statement select() {
        List<String> to = one(keys);
        List<String> columns = new ArrayList<>(keyNames);
        List<String> values = new ArrayList<>(to);
        for (Drawn each : others) {
            columns.add(each.name());
            values.add(quoted(each.name()));
        }
        columns.add(table.payload());
        values.add(quoted(table.payload()));
        return Statement.same(one("INSERT INTO ", "REPLACE INTO ", "INSERT IGNORE INTO ") + quoted(name) + " ("
                + columns.stream().map(Table::quoted).collect(Collectors.joining(", ")) + ") SELECT "
                + String.join(", ", values) + " FROM " + quoted(name) + where());
    }

    /** An UPDATE of two tables. */
    private Statement several(String table1) {
        if (!like.isEmpty() && chance(0.7)) {
            String other = quoted(like);
            List<String> key = one(keys.subList(0, 5));
            Statement one = assignments(table1 + ".");
            Statement two = assignments(other + ".");
            String end = where(key) + " AND "
                    + where(key).replace(quoted(name) + ".", other + ".").substring(7);
            return new Statement(
                    "UPDATE " + other + " JOIN " + table1 + " SET " + two.main() + ", " + one.main() + end,
                    "UPDATE " + other + " JOIN " + table1 + " SET " + two.twin() + ", " + one.twin() + end);
        }
        return joined(
                "UPDATE " + table1 + " JOIN other ON other.id = " + (1 + random.nextInt(3)) + " SET ",
                assignments(table1 + "."),
                ", other.note = 'joined'" + where());
    }

    private Statement load() {
        if (keyTypes.stream().anyMatch(type -> !type.isInteger())
                || payload.isJson()
                || others.stream().anyMatch(each -> !each.isOmittable())) {
            return joined("UPDATE " + quoted(name) + " SET ", assignments(""), where());
        }
        List<String> main = new ArrayList<>();
        List<String> twin = new ArrayList<>();
        for (List<String> key : someKeys()) {
            Statement value = payload.bytes(random);
            main.add(String.join(",", key) + "," + value.main() + ";");
            twin.add(String.join(",", key) + "," + value.twin() + ";");
        }
        String before = "LOAD DATA LOCAL INFILE '@file(";
        String after = ")' " + one("REPLACE", "IGNORE") + " INTO TABLE " + quoted(name)
                + " CHARACTER SET latin1 FIELDS TERMINATED BY ',' LINES TERMINATED BY ';' ("
                + keyNames.stream().map(Table::quoted).collect(Collectors.joining(", ")) + ", @v) SET "
                + quoted(table.payload()) + " = " + payload.unhex("@v");
        return new Statement(before + String.join("", main) + after, before + String.join("", twin) + after);
    }

    private void add(int session, Statement statement, boolean isLate) {
        steps.add(new Step(session, Act.EXECUTE, statement, group, 0, false, isLate));
    }

    private void add(int session, Statement statement) {
        add(session, statement, false);
    }

    /** One transaction, or a statement that is one. */
    private void transaction(int session, boolean hasToCommit) {
        group = made++;
        int kind = random.nextInt(100);
        if (kind < 52) {
            add(session, write());
            if (hasToCommit) {
                add(session, Statement.same(chance(0.9) ? "COMMIT" : "ROLLBACK"));
            }
        } else if (kind < 74) {
            explicit(session);
        } else if (kind < 79) {
            xa(session, hasToCommit);
        } else if (kind < 86) {
            steps.add(new Step(
                    session,
                    Act.HOLD,
                    Statement.same("SELECT 1 FROM " + quoted(name) + " LIMIT 1"),
                    group,
                    0,
                    true,
                    false));
        } else if (kind < 92) {
            add(session, besides());
        } else if (kind < 95) {
            add(session, isDefining ? definition() : besides());
        } else if (kind < 97) {
            steps.add(new Step(
                    session,
                    chance(0.5) ? Act.KILL : Act.INTERRUPT,
                    Statement.same("" + random.nextInt(8)),
                    group,
                    0,
                    false,
                    false));
        } else if (seat.hasLog && kind < 99) {
            steps.add(new Step(
                    session,
                    Act.ADMINISTER,
                    Statement.same(one(
                            "FLUSH BINARY LOGS",
                            "FLUSH BINARY LOGS",
                            isOfStatements ? "SET GLOBAL binlog_format = 'MIXED'" : "FLUSH BINARY LOGS",
                            "SET GLOBAL binlog_row_image = 'MINIMAL'",
                            seat.isMySql
                                    ? "SET GLOBAL binlog_transaction_compression = ON"
                                    : "SET GLOBAL log_bin_compress = ON")),
                    group,
                    0,
                    false,
                    false));
        }
    }

    private void explicit(int session) {
        add(session, Statement.same("START TRANSACTION"));
        int writes = 1 + random.nextInt(4);
        for (int i = 0; i < writes; i++) {
            if (chance(0.15)) {
                add(session, Statement.same("SAVEPOINT s"));
                add(session, write());
                if (chance(0.6)) {
                    add(session, Statement.same("ROLLBACK TO SAVEPOINT s"));
                }
            }
            add(session, write());
        }
        add(session, Statement.same(chance(0.85) ? "COMMIT" : "ROLLBACK"), chance(0.3));
    }

    private void xa(int session, boolean hasToCommit) {
        String id = "x" + made;
        Statement main = new Statement("'" + id + "m" + seed + "'", "'" + id + "t" + seed + "'");
        add(session, joined("XA START ", main, ""));
        add(session, write());
        if (chance(0.5)) {
            add(session, write());
        }
        add(session, joined("XA END ", main, ""));
        add(session, joined("XA PREPARE ", main, ""));
        if (chance(0.6)) {
            steps.add(new Step(session, Act.DISCONNECT, Statement.same(""), group, 0, false, false));
            if (hasToCommit) { // otherwise MariaDB takes each statement for a part of a transaction (error 1400)
                add(session, Statement.same("SET autocommit = 1"));
            }
        }
        add(session, joined(chance(0.7) ? "XA COMMIT " : "XA ROLLBACK ", main, ""), chance(0.7));
        if (hasToCommit) {
            add(session, Statement.same("SET autocommit = 0"));
        }
    }

    /** Definitions of other tables. */
    private Statement besides() {
        return Statement.same(one(
                "ALTER TABLE other ADD COLUMN IF_" + made + " INT",
                "CREATE INDEX io" + made + " ON other (note)",
                "CREATE TABLE n" + made + " AS SELECT id, note FROM other",
                "CREATE TABLE n" + made + " (id INT PRIMARY KEY)",
                "TRUNCATE TABLE other",
                "CREATE VIEW w" + made + " AS SELECT 1 AS one",
                "DROP TABLE IF EXISTS nothing_" + made,
                "ANALYZE TABLE other",
                "CREATE TEMPORARY TABLE tmp" + made + " (id INT)",
                "RENAME TABLE other TO other_, other_ TO other"));
    }

    /** Definitions of the table itself. */
    private Statement definition() {
        String of = quoted(name);
        return Statement.same(one(
                "TRUNCATE TABLE " + of,
                "TRUNCATE TABLE " + of,
                partition.contains("PARTITION p1")
                        ? "ALTER TABLE " + of + " TRUNCATE PARTITION p1"
                        : "ALTER TABLE " + of + " FORCE",
                "ALTER TABLE " + of + " ADD COLUMN z" + made + " INT DEFAULT 5",
                "CREATE INDEX iz" + made + " ON " + of + " (" + quoted(keyNames.get(keyNames.size() - 1))
                        + keyTypes.get(keyTypes.size() - 1).prefix() + ")",
                "ANALYZE TABLE " + of,
                "RENAME TABLE " + of + " TO away, away TO " + of,
                "ALTER TABLE " + of + " COMMENT='another'"));
    }
}
