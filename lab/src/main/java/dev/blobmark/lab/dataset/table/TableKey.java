package dev.blobmark.lab.dataset.table;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.TableColumn;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * A unique key of a table by which ranges of rows are read: the primary key, or another unique index over columns that
 * are NOT NULL. Its columns are numbers, text or bytes. Each query finds one position in the index and reads from
 * there.
 */
public final class TableKey {

    /**
     * The type of a column. Bytes are handled as text of the characters 0 to 255, so that positions are drawn alike.
     */
    enum Kind {
        NUMBER,
        TEXT,
        BYTES;

        static Optional<Kind> of(String type) {
            return Optional.ofNullable(
                    switch (type) {
                        case "tinyint",
                                "smallint",
                                "mediumint",
                                "int",
                                "bigint",
                                "decimal",
                                "float",
                                "double",
                                "year" -> NUMBER;
                        case "char", "varchar" -> TEXT;
                        case "binary", "varbinary" -> BYTES;
                        default -> null;
                    });
        }

        Object read(ResultSet row, int place) throws SQLException {
            return switch (this) {
                case NUMBER -> row.getBigDecimal(place);
                case TEXT -> row.getString(place);
                case BYTES -> new String(row.getBytes(place), StandardCharsets.ISO_8859_1);
            };
        }

        void bind(PreparedStatement statement, int place, Object value) throws SQLException {
            switch (this) {
                case NUMBER -> {
                    BigDecimal number = (BigDecimal) value;
                    if (number.scale() <= 0 && number.toBigInteger().bitLength() < Long.SIZE) {
                        statement.setLong(place, number.longValue());
                    } else {
                        statement.setBigDecimal(place, number);
                    }
                }
                case TEXT -> statement.setString(place, (String) value);
                case BYTES -> statement.setBytes(place, ((String) value).getBytes(StandardCharsets.ISO_8859_1));
            }
        }
    }

    private record Part(String name, Kind kind) {}

    /** The first and the last value of a part of the key. */
    private record Ends(Object first, Object last) {}

    /** A value of a statement. */
    record Parameter(Kind kind, Object value) {}

    /** A range of rows, as the part of a statement that follows the list of columns, without a limit. */
    public record Range(String sql, List<Parameter> parameters) {

        public void bind(PreparedStatement statement) throws SQLException {
            for (int i = 0; i < parameters.size(); i++) {
                parameters.get(i).kind.bind(statement, i + 1, parameters.get(i).value);
            }
        }

        /** The parameters as a driver takes them: numbers, texts and bytes. */
        List<Object> objects() {
            return parameters.stream()
                    .map(parameter -> parameter.kind == Kind.BYTES
                            ? ((String) parameter.value).getBytes(StandardCharsets.ISO_8859_1)
                            : parameter.value)
                    .toList();
        }
    }

    private static final BigDecimal TWO = BigDecimal.valueOf(2);

    private static final Set<String> APPROXIMATE = Set.of("float", "double");

    /** Characters that are drawn after the common prefix of all keys, more than enough to distinguish rows. */
    private static final int DRAWN_CHARACTERS = 12;

    private final Connection connection;
    private final TableColumn column;
    private final String index;
    private final String hint;
    private final String from;
    private final List<Part> parts;

    /** The ends of the first part, once they are known. */
    private Optional<Ends> outermost = Optional.empty();

    /** By part: the characters that occur in the keys read so far. */
    private final List<TreeSet<Character>> alphabets;

    private TableKey(Connection connection, TableColumn column, String index, List<Part> parts) {
        this.connection = connection;
        this.column = column;
        this.index = index;
        this.parts = parts;
        hint = " FORCE INDEX (" + quoted(index) + ")";
        from = " FROM " + quoted(column.schema(), column.table()) + hint;
        alphabets = parts.stream().map(part -> new TreeSet<Character>()).toList();
    }

    /** A qualified name for a statement. */
    static String quoted(String... names) {
        return Stream.of(names).map(name -> "`" + name.replace("`", "``") + "`").collect(Collectors.joining("."));
    }

    /**
     * The key by which rows of a column's table are changed: without approximate numbers, which may not be found again.
     *
     * @throws dev.blobmark.lab.dataset.DatasetException if the table has no such key
     */
    public static TableKey of(Connection connection, TableColumn column) throws SQLException {
        Map<String, String> types = new LinkedHashMap<>(ColumnFacts.types(connection, column));
        types.values().removeIf(APPROXIMATE::contains);
        return of(connection, column, types);
    }

    /**
     * The key of a column's table.
     *
     * @param types of the table's columns by name
     * @throws dev.blobmark.lab.dataset.DatasetException if the table has no such key
     */
    static TableKey of(Connection connection, TableColumn column, Map<String, String> types) throws SQLException {
        String sql = "SELECT index_name, column_name, sub_part IS NULL AND nullable <> 'YES' AND index_type = 'BTREE'"
                + " FROM information_schema.statistics WHERE table_schema = ? AND table_name = ? AND non_unique = 0"
                + usable(connection)
                + " ORDER BY index_name <> 'PRIMARY', index_name, seq_in_index";
        Map<String, List<Optional<Part>>> indexes = new LinkedHashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, column.schema());
            statement.setString(2, column.table());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    String name = row.getString(2);
                    Optional<Part> part = name == null || !row.getBoolean(3)
                            ? Optional.empty()
                            : Kind.of(types.getOrDefault(name, "")).map(kind -> new Part(name, kind));
                    indexes.computeIfAbsent(row.getString(1), index -> new ArrayList<>())
                            .add(part);
                }
            }
        }
        return indexes.entrySet().stream()
                .filter(index -> index.getValue().stream().allMatch(Optional::isPresent))
                .findFirst()
                .map(index -> new TableKey(
                        connection,
                        column,
                        index.getKey(),
                        index.getValue().stream().map(Optional::orElseThrow).toList()))
                .orElseThrow(() -> column.problem(
                        "the table has no primary key or other unique index whose columns are NOT NULL and are numbers,"
                                + " text or bytes, so a sample would require reading all rows",
                        "add one, or export a sample and use it as jsonl:FILE"));
    }

    /**
     * The condition that FORCE INDEX accepts an index. An invisible one (MySQL 8.0) or an ignored one (MariaDB 10.6) is
     * an unknown key, error 1176.
     */
    private static String usable(Connection connection) throws SQLException {
        return Sql.strings(
                        connection,
                        "SELECT column_name FROM information_schema.columns WHERE table_schema = 'information_schema'"
                                + " AND table_name = 'STATISTICS' AND column_name IN ('IS_VISIBLE', 'IGNORED')")
                .stream()
                .map(name -> " AND " + name + (name.equalsIgnoreCase("IGNORED") ? " = 'NO'" : " = 'YES'"))
                .collect(Collectors.joining());
    }

    /** The key's columns as a list for a statement. */
    public String columns() {
        return parts.stream().map(part -> quoted(part.name)).collect(Collectors.joining(", "));
    }

    /**
     * Reads the key of a row. Nothing is remembered of it.
     *
     * @param first number of the key's first column in the result
     */
    public List<Object> read(ResultSet row, int first) throws SQLException {
        List<Object> key = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            key.add(parts.get(i).kind.read(row, first + i));
        }
        return key;
    }

    /** The same, and remembers the characters that occur in text, from which {@link #drawn} makes positions. */
    List<Object> sampled(ResultSet row, int first) throws SQLException {
        List<Object> key = read(row, first);
        for (int i = 0; i < key.size(); i++) {
            if (key.get(i) instanceof String text) {
                TreeSet<Character> alphabet = alphabets.get(i);
                text.chars().forEach(c -> alphabet.add((char) c));
            }
        }
        return key;
    }

    /** The keys of the first rows. */
    List<List<Object>> first(int rows) throws SQLException {
        List<List<Object>> keys = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                        "SELECT " + columns() + from + " ORDER BY " + columns() + " LIMIT " + rows);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                keys.add(sampled(row, 1));
            }
        }
        return keys;
    }

    /** The key of the first row of a range; empty if the range is. */
    Optional<List<Object>> first(Range range) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT " + columns() + range.sql + " LIMIT 1")) {
            range.bind(select);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(sampled(row, 1)) : Optional.empty();
            }
        }
    }

    /** The key of the last row before a key; empty if that is the first one. */
    Optional<List<Object>> before(List<Object> key) throws SQLException {
        return first(new Range(from + " WHERE " + comparison(key, "<") + descending(), comparisonParameters(key)));
    }

    /** The key of the last row; empty if there is none. */
    Optional<List<Object>> last() throws SQLException {
        return first(new Range(from + descending(), List.of()));
    }

    private String descending() {
        return parts.stream()
                .map(part -> quoted(part.name) + " DESC")
                .collect(Collectors.joining(", ", " ORDER BY ", ""));
    }

    /**
     * The key of a row about in the middle between two others, greater than the first, and at most the second.
     *
     * @return empty if none was found
     */
    Optional<List<Object>> middle(List<Object> first, List<Object> last, UniformRandomProvider random)
            throws SQLException {
        int part = 0;
        while (part < parts.size() && first.get(part).equals(last.get(part))) {
            part++;
        }
        if (part == parts.size()) {
            return Optional.empty();
        }
        List<Object> position = new ArrayList<>(first.subList(0, part));
        if (first.get(part) instanceof BigDecimal low) {
            BigDecimal high = (BigDecimal) last.get(part);
            position.add(low.add(high).divide(TWO).setScale(high.scale(), RoundingMode.CEILING));
        } else if (parts.get(part).kind == Kind.BYTES) {
            position.add(middle((String) first.get(part), (String) last.get(part)));
        } else {
            position.add(place(part, new Ends(first.get(part), last.get(part)), random));
        }
        List<Parameter> parameters = new ArrayList<>(parameters(position));
        parameters.addAll(parameters(first.subList(0, part + 1)));
        parameters.addAll(comparisonParameters(last));
        return first(new Range(
                from + " WHERE " + condition(part, ">=") + " AND " + condition(part, ">") + " AND NOT ("
                        + comparison(last, ">") + ") ORDER BY " + columns(),
                parameters));
    }

    /** All rows. */
    public Range all() {
        return new Range(from + " ORDER BY " + columns(), List.of());
    }

    /** The rows after a key. */
    public Range after(List<Object> key) {
        return where(comparison(key, ">"), comparisonParameters(key));
    }

    /**
     * The rows after a key up to another one.
     *
     * @param after empty from the first row on
     */
    public Range between(Optional<List<Object>> after, List<Object> last) {
        List<Parameter> parameters = new ArrayList<>();
        after.ifPresent(key -> parameters.addAll(comparisonParameters(key)));
        parameters.addAll(comparisonParameters(last));
        return where(
                after.map(key -> "(" + comparison(key, ">") + ") AND ").orElse("") + "NOT (" + comparison(last, ">")
                        + ")",
                parameters);
    }

    /**
     * Ranges without a common row that together are all rows from a key to another one. In each of them, only one part
     * of the key has a range, and those before it have a value: of others, the optimizer of MySQL makes no good
     * estimates.
     */
    List<Range> simple(List<Object> first, List<Object> last) {
        int part = 0;
        while (part < parts.size() - 1 && first.get(part).equals(last.get(part))) {
            part++;
        }
        List<Parameter> ends = new ArrayList<>(parameters(first.subList(0, part + 1)));
        ends.addAll(parameters(last.subList(0, part + 1)));
        List<Range> ranges = new ArrayList<>();
        ranges.add(where(condition(part, from(part)) + " AND " + condition(part, to(part)), ends));
        for (int i = part + 1; i < parts.size(); i++) {
            ranges.add(where(condition(i, from(i)), parameters(first.subList(0, i + 1))));
            ranges.add(where(condition(i, to(i)), parameters(last.subList(0, i + 1))));
        }
        return ranges;
    }

    private String from(int part) {
        return part == parts.size() - 1 ? ">=" : ">";
    }

    private String to(int part) {
        return part == parts.size() - 1 ? "<=" : "<";
    }

    private Range where(String condition, List<Parameter> parameters) {
        return new Range(from + " WHERE " + condition + " ORDER BY " + columns(), parameters);
    }

    /** The condition that a row is after a key, or before it. */
    private String comparison(List<Object> key, String relation) {
        return IntStream.range(0, key.size())
                .mapToObj(part -> condition(part, relation))
                .collect(Collectors.joining(" OR "));
    }

    private List<Parameter> comparisonParameters(List<Object> key) {
        return IntStream.range(0, key.size())
                .mapToObj(part -> parameters(key.subList(0, part + 1)))
                .flatMap(List::stream)
                .toList();
    }

    /** The key's columns, in their order. */
    public List<String> names() {
        return parts.stream().map(Part::name).toList();
    }

    /** The same key of another table of the schema that has the same columns and indexes. */
    public TableKey of(String otherTable) {
        return new TableKey(connection, TableColumn.of(column.schema(), otherTable, column.column()), index, parts);
    }

    /** What follows the table's name in a statement that must use this key. */
    public String hint() {
        return hint;
    }

    /** The condition that a row has a key, with parameters for {@link #bind}. */
    public String condition() {
        return parts.stream().map(part -> quoted(part.name) + " = ?").collect(Collectors.joining(" AND "));
    }

    /** Sets the parameters of {@link #condition} from a number on; returns the number after them. */
    public int bind(PreparedStatement statement, int first, List<Object> key) throws SQLException {
        for (int i = 0; i < parts.size(); i++) {
            parts.get(i).kind.bind(statement, first + i, key.get(i));
        }
        return first + parts.size();
    }

    /** A key as texts, from which {@link #parse} makes it again. */
    public List<String> texts(List<Object> key) {
        return key.stream()
                .map(part -> part instanceof BigDecimal number ? number.toPlainString() : (String) part)
                .toList();
    }

    public List<Object> parse(List<String> texts) {
        return IntStream.range(0, parts.size())
                .<Object>mapToObj(i -> parts.get(i).kind == Kind.NUMBER ? new BigDecimal(texts.get(i)) : texts.get(i))
                .toList();
    }

    /**
     * The condition that the parts before one are equal to parameters, and that one is in a relation to a parameter.
     */
    private String condition(int part, String relation) {
        return IntStream.rangeClosed(0, part)
                .mapToObj(i -> quoted(parts.get(i).name) + (i < part ? " = ?" : " " + relation + " ?"))
                .collect(Collectors.joining(" AND ", "(", ")"));
    }

    private List<Parameter> parameters(List<Object> values) {
        return IntStream.range(0, values.size())
                .mapToObj(i -> new Parameter(parts.get(i).kind, values.get(i)))
                .toList();
    }

    /** The rows from a random position between the ends of the key; empty if the table is empty. */
    Optional<Range> drawn(UniformRandomProvider random) throws SQLException {
        List<Object> key = new ArrayList<>();
        for (int part = 0; part < parts.size(); part++) {
            Optional<Ends> ends = ends(key);
            if (ends.isEmpty()) {
                return Optional.empty();
            }
            key.add(place(part, ends.get(), random));
            if (part < parts.size() - 1) {
                Range range = from(key);
                key.set(part, value(range.sql, range.parameters, part).orElse(ends.get().first));
            }
        }
        return Optional.of(from(key));
    }

    /** The rows from a value of the last part on, with equal values of the parts before it. */
    Range from(List<Object> key) {
        int part = key.size() - 1;
        return new Range(
                from + " WHERE " + condition(part, ">=") + " ORDER BY " + quoted(parts.get(part).name),
                parameters(key));
    }

    /** The ends of the part after these; empty if no row begins with them. */
    private Optional<Ends> ends(List<Object> before) throws SQLException {
        if (before.isEmpty() && outermost.isPresent()) {
            return outermost;
        }
        Optional<Object> first = end(before, "");
        Optional<Object> last = end(before, " DESC");
        Optional<Ends> ends = first.isPresent() && last.isPresent()
                ? Optional.of(new Ends(first.get(), last.get()))
                : Optional.empty();
        if (before.isEmpty()) {
            outermost = ends;
        }
        return ends;
    }

    /** The first or the last value of the part after these. */
    private Optional<Object> end(List<Object> before, String direction) throws SQLException {
        int part = before.size();
        String where = before.isEmpty() ? "" : " WHERE " + condition(part - 1, "=");
        return value(from + where + " ORDER BY " + quoted(parts.get(part).name) + direction, parameters(before), part);
    }

    private Optional<Object> value(String sql, List<Parameter> parameters, int part) throws SQLException {
        Part column = parts.get(part);
        try (PreparedStatement select =
                connection.prepareStatement("SELECT " + quoted(column.name) + sql + " LIMIT 1")) {
            new Range(sql, parameters).bind(select);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(column.kind.read(row, 1)) : Optional.empty();
            }
        }
    }

    /**
     * A random position between two values. For numbers, any number. For text, the common prefix of both, followed by
     * characters that occur in keys, whatever their order in the server's collation.
     */
    private Object place(int part, Ends ends, UniformRandomProvider random) {
        if (ends.first instanceof BigDecimal lowest) {
            BigInteger from = lowest.setScale(0, RoundingMode.FLOOR).toBigInteger();
            BigInteger span = ((BigDecimal) ends.last)
                    .setScale(0, RoundingMode.CEILING)
                    .toBigInteger()
                    .subtract(from);
            byte[] drawn = ByteBuffer.allocate(2 * Long.BYTES)
                    .putLong(random.nextLong())
                    .putLong(random.nextLong())
                    .array();
            return new BigDecimal(from.add(new BigInteger(1, drawn).mod(span.add(BigInteger.ONE))));
        }
        String low = (String) ends.first;
        String high = (String) ends.last;
        int common = common(low, high);
        TreeSet<Character> known = new TreeSet<>(alphabets.get(part));
        if (known.isEmpty()) { // the server ended the first statement for its time
            (low + high).chars().forEach(c -> known.add((char) c));
        }
        List<Character> alphabet = List.copyOf(known);
        StringBuilder place = new StringBuilder(low.substring(0, common));
        for (int i = 0; i < DRAWN_CHARACTERS && !low.equals(high); i++) {
            place.append(alphabet.get((int) Long.remainderUnsigned(random.nextLong(), alphabet.size())));
        }
        return place.toString();
    }

    /** Number of characters with which both begin. */
    private static int common(String one, String other) {
        int common = 0;
        while (common < Math.min(one.length(), other.length()) && one.charAt(common) == other.charAt(common)) {
            common++;
        }
        return common;
    }

    /** Bytes between two others: after the first ones, and not after the last ones. */
    private static String middle(String low, String high) {
        int common = common(low, high);
        int from = common < low.length() ? low.charAt(common) : 0;
        return low.substring(0, common) + (char) ((from + high.charAt(common) + 1) / 2);
    }

    /**
     * The share of the key's whole span that a range covers; only known if the key is one number.
     *
     * @param range that was read
     * @param last key of the range
     */
    Optional<Double> share(Range range, List<Object> last) {
        if (parts.size() > 1 || outermost.isEmpty() || !(outermost.get().first instanceof BigDecimal lowest)) {
            return Optional.empty();
        }
        double low = lowest.doubleValue();
        double high = ((BigDecimal) outermost.get().last).doubleValue();
        double from = ((BigDecimal) range.parameters.get(0).value).doubleValue();
        double to = ((BigDecimal) last.get(0)).doubleValue();
        return Optional.of((to - from + 1) / (high - low + 1));
    }
}
