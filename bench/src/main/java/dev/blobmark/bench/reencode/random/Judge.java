package dev.blobmark.bench.reencode.random;

import static dev.blobmark.bench.reencode.random.Table.quoted;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.FrameException;
import dev.blobmark.value.Legacy;
import dev.blobmark.value.ValueFormat;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Compares the tables of a schema with their twins. */
final class Judge {

    private static final Set<String> TEXT = Set.of("char", "varchar", "tinytext", "text", "mediumtext", "longtext");

    /** Types whose content is shown by HEX; all others are written as text without loss. */
    private static final Set<String> BYTES = Set.of(
            "char",
            "varchar",
            "tinytext",
            "text",
            "mediumtext",
            "longtext",
            "binary",
            "varbinary",
            "tinyblob",
            "blob",
            "mediumblob",
            "longblob",
            "enum",
            "set",
            "bit",
            "vector");

    private static final Pattern COUNTER = Pattern.compile(" AUTO_INCREMENT=(\\d+)");
    private static final int SHOWN = 200;
    private static final int BEFORE = 30;

    private final Connection connection;
    private final String main;
    private final String twin;
    private final Table table;
    private final long mostGiven;
    private final ValueFormat format;

    /** A column as information_schema has it. */
    private record Facts(String name, String type, Map<String, String> attributes) {}

    /** @param mostGiven the largest number that the server gave to a row that was committed */
    Judge(Connection connection, String main, String twin, Table table, String from, long mostGiven) {
        this.connection = connection;
        this.main = main;
        this.twin = twin;
        this.table = table;
        this.mostGiven = mostGiven;
        format = ValueFormat.builder()
                .reads(from.equals("none") ? Legacy.RAW : Legacy.encodedBy(from))
                .build();
    }

    /**
     * What differs. Each line begins with a word for its kind.
     *
     * @param isChanged whether the column may be one of bytes now
     */
    List<String> differences(boolean isChanged) throws SQLException {
        List<String> found = new ArrayList<>();
        Set<String> here = tables(main);
        for (String name : tables(twin)) {
            if (!here.contains(name)) {
                found.add("table: " + name + " is missing");
                continue;
            }
            boolean isChangedHere = isChanged && name.equals(table.name());
            rows(name).ifPresent(found::add);
            definition(name, isChangedHere).ifPresent(found::add);
        }
        others("SELECT trigger_name, action_statement FROM information_schema.triggers WHERE trigger_schema = ")
                .ifPresent(text -> found.add("trigger: " + text));
        return found;
    }

    /** Base tables of the application. */
    private Set<String> tables(String schema) throws SQLException {
        return Set.copyOf(Sql.strings(
                connection,
                "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema = '"
                        + schema + "' AND table_name NOT LIKE '%blobmark%'"));
    }

    /** Tables that a change made. */
    List<String> left() throws SQLException {
        return Sql.strings(
                connection,
                "SELECT table_name FROM information_schema.tables WHERE table_schema = '" + main
                        + "' AND table_name LIKE '%blobmark%' ORDER BY table_name");
    }

    private Optional<String> others(String sql) throws SQLException {
        Map<String, String> here = new TreeMap<>(Sql.pairs(connection, sql + "'" + main + "'"));
        Map<String, String> there = new TreeMap<>(Sql.pairs(connection, sql + "'" + twin + "'"));
        here.keySet().removeIf(name -> name.contains("blobmark"));
        return here.equals(there) ? Optional.empty() : Optional.of(here + " and not " + there);
    }

    private List<Facts> columns(String schema, String name) throws SQLException {
        List<Facts> columns = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT column_name, data_type, is_nullable, column_default, extra, column_comment FROM"
                                + " information_schema.columns WHERE table_schema = '" + schema
                                + "' AND table_name = x'"
                                + HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8))
                                + "' ORDER BY ordinal_position")) {
            while (row.next()) {
                Map<String, String> attributes = new TreeMap<>();
                attributes.put("nullable", row.getString(3));
                attributes.put("default", normal(row.getString(4)));
                attributes.put(
                        "extra",
                        row.getString(5)
                                .toUpperCase(Locale.ROOT)
                                .replace("DEFAULT_GENERATED", "")
                                .strip());
                attributes.put("comment", row.getString(6));
                columns.add(new Facts(row.getString(1), row.getString(2).toLowerCase(Locale.ROOT), attributes));
            }
        }
        return columns;
    }

    /**
     * The same text for the same default. MySQL writes a literal as an expression for some types, with a character set
     * and backslashes, and both write bytes in hexadecimal.
     */
    private static String normal(String value) {
        if (value == null || value.equals("NULL")) {
            return "none";
        }
        String plain = value.replaceAll("^\\(?_\\w+", "").replaceAll("[\\\\'()]", "");
        return plain.matches("(0x|[xX])([0-9a-fA-F]{2})+")
                ? new String(HexFormat.of().parseHex(plain.replaceAll("^0?[xX]", "")), StandardCharsets.ISO_8859_1)
                        .replace("\0", "")
                : plain;
    }

    private Optional<String> rows(String name) throws SQLException {
        List<String> here = read(main, name);
        List<String> there = read(twin, name);
        List<String> missing = new ArrayList<>(there);
        List<String> added = new ArrayList<>(here);
        here.forEach(missing::remove);
        there.forEach(added::remove);
        if (missing.isEmpty() && added.isEmpty()) {
            return Optional.empty();
        }
        String where = added.isEmpty() || missing.isEmpty() ? "" : "; first " + apart(added.get(0), missing.get(0));
        return Optional.of("rows: " + name + " has " + here.size() + " rows, its twin " + there.size() + where
                + "; only here: " + shown(added) + "; only in the twin: " + shown(missing));
    }

    /** From where on two texts differ. */
    private static String apart(String one, String other) {
        int same = 0;
        while (same < Math.min(one.length(), other.length()) && one.charAt(same) == other.charAt(same)) {
            same++;
        }
        int from = Math.max(0, same - BEFORE);
        return shortened(one.substring(from)) + " and not " + shortened(other.substring(from));
    }

    private static String shown(List<String> rows) {
        return rows.size() + " " + rows.stream().limit(2).map(Judge::shortened).toList();
    }

    private static String shortened(String row) {
        return row.length() > SHOWN ? row.substring(0, SHOWN) + "…" : row;
    }

    private List<String> read(String schema, String name) throws SQLException {
        List<Facts> columns = columns(schema, name);
        String list = columns.stream().map(this::expression).collect(Collectors.joining(", "));
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT " + list + " FROM " + quoted(schema) + "." + quoted(name))) {
            while (row.next()) {
                StringBuilder text = new StringBuilder();
                for (int i = 0; i < columns.size(); i++) {
                    String column = columns.get(i).name();
                    text.append(i == 0 ? "" : ", ").append(column).append('=');
                    text.append(
                            column.equals(table.payload())
                                    ? value(row.getBytes(i + 1))
                                    : String.valueOf(row.getString(i + 1)));
                }
                rows.add(text.toString());
            }
        }
        Collections.sort(rows);
        return rows;
    }

    private String expression(Facts column) {
        String name = quoted(column.name());
        if (column.name().equals(table.payload())) {
            return column.type().equals("json")
                    ? "CAST(CAST(" + name + " AS CHAR) AS BINARY)"
                    : TEXT.contains(column.type()) ? "CAST(" + name + " AS BINARY)" : name;
        }
        return BYTES.contains(column.type()) ? "HEX(" + name + ")" : "CAST(" + name + " AS CHAR)";
    }

    /** The decoded value, shortened by a hash where it is long. */
    private String value(byte[] stored) {
        if (stored == null) {
            return "NULL";
        }
        try {
            byte[] value = format.decode(stored);
            String hex = HexFormat.of().formatHex(value);
            return hex.length() <= 80 ? hex : hex.substring(0, 80) + "…" + value.length + "#" + hex.hashCode();
        } catch (FrameException e) {
            return "undecodable: " + e.getMessage();
        }
    }

    private Optional<String> definition(String name, boolean isChanged) throws SQLException {
        String here = ddl(main, name);
        String there = ddl(twin, name);
        long counter = counter(here);
        long twins = counter(there);
        // the twin's may be larger: how many numbers a statement reserves differs where there are triggers; and a
        // number
        // that an UPDATE gave is not counted
        if (name.equals(table.name()) && table.numbered().isPresent() && counter <= mostGiven && counter < twins) {
            return Optional.of("counter: AUTO_INCREMENT of " + name + " is " + counter + ", and " + mostGiven
                    + " was given; it is " + twins + " without a change");
        }
        String column = "  " + quoted(table.payload()) + " ";
        List<String> lines = lines(here, isChanged ? column : "\0");
        List<String> twinLines = lines(there, isChanged ? column : "\0");
        if (!lines.equals(twinLines)) {
            List<String> more = new ArrayList<>(lines);
            more.removeAll(twinLines);
            List<String> less = new ArrayList<>(twinLines);
            less.removeAll(lines);
            return Optional.of("definition: " + name + " has " + more + ", its twin " + less);
        }
        return isChanged ? payload(name) : Optional.empty();
    }

    /** Only the type may be another one. */
    private Optional<String> payload(String name) throws SQLException {
        Facts here = facts(main, name);
        Facts there = facts(twin, name);
        String expected = there.type().equals("json") || there.type().equals("longtext")
                ? "longblob"
                : TEXT.contains(there.type()) ? "mediumblob" : there.type();
        if (!here.type().equals(expected) && !here.type().equals(there.type())) {
            return Optional.of("definition: the column is of type " + here.type() + ", and was " + there.type());
        }
        return here.attributes().equals(there.attributes())
                ? Optional.empty()
                : Optional.of("definition: the column has " + here.attributes() + ", and had " + there.attributes());
    }

    private Facts facts(String schema, String name) throws SQLException {
        return columns(schema, name).stream()
                .filter(each -> each.name().equals(table.payload()))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> lines(String ddl, String without) {
        return COUNTER.matcher(ddl)
                .replaceAll("")
                .lines()
                .filter(line -> !line.startsWith(without))
                .map(line -> line.replaceAll(",$", ""))
                .toList();
    }

    private static long counter(String ddl) {
        Matcher counter = COUNTER.matcher(ddl);
        return counter.find() ? Long.parseUnsignedLong(counter.group(1)) : 1;
    }

    private String ddl(String schema, String name) throws SQLException {
        return Sql.pairs(connection, "SHOW CREATE TABLE " + quoted(schema) + "." + quoted(name))
                .values()
                .iterator()
                .next();
    }
}
