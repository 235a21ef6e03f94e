package dev.blobmark.mysql.table;

import dev.blobmark.mysql.client.SessionSettings;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.KeyColumn.Kind;
import dev.blobmark.mysql.table.KeyColumn.Relation;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
 * are NOT NULL. Each query finds one position in the index and reads from there, in the order of the index.
 *
 * <p>Values are those of {@link KeyColumn.Kind}. Text is never decoded, so that a row is found again by what was read,
 * whatever its character set and collation. Two keys of a row that was not changed are equal.
 *
 * <p>Sessions need the settings that {@link dev.blobmark.lab.client.Driver} gives to connections that work on data of a
 * user; in others, a key could stand for another row, or for none.
 */
public final class TableKey {

    /** The first and the last value of a part of the key, in the order of the index. */
    private record Ends(Object first, Object last) {}

    /** A value of a statement. */
    record Parameter(KeyColumn column, Object value) {}

    /** A part of a statement with its parameters. */
    record Clause(String sql, List<Parameter> parameters) {

        static Clause of(String sql) {
            return new Clause(sql, List.of());
        }

        static Clause of(String sql, KeyColumn column, Object value) {
            return new Clause(sql, List.of(new Parameter(column, value)));
        }

        static Clause joined(List<Clause> clauses, String between) {
            return new Clause(
                    clauses.stream().map(Clause::sql).collect(Collectors.joining(between, "(", ")")),
                    clauses.stream()
                            .flatMap(clause -> clause.parameters.stream())
                            .toList());
        }

        Clause and(Clause other) {
            return joined(List.of(this, other), " AND ");
        }
    }

    /** A range of rows, as the part of a statement that follows the list of columns, without a limit. */
    public record Range(String sql, List<Parameter> parameters) {

        /** @throws SQLException if the connection does not have the {@link SessionSettings} */
        public void bind(PreparedStatement statement) throws SQLException {
            SessionSettings.require(statement.getConnection());
            for (int i = 0; i < parameters.size(); i++) {
                parameters.get(i).column.bind(statement, i + 1, parameters.get(i).value);
            }
        }

        /** The parameters as a driver takes them: numbers, texts and bytes. */
        List<Object> objects() {
            return parameters.stream()
                    .map(parameter -> parameter.column.object(parameter.value))
                    .toList();
        }
    }

    /**
     * What a key is used for.
     *
     * @param isExact whether each row must be found again
     * @param reason why a key is needed
     * @param remedy what to do where there is none
     */
    private record Purpose(boolean isExact, String reason, String remedy) {}

    private static final String EXPORT = "add one, or export a sample and use it as jsonl:FILE";
    private static final Purpose SAMPLE = new Purpose(false, ", so a sample would require reading all rows", EXPORT);
    private static final Purpose READ = new Purpose(true, ", by which it would be read in parts", EXPORT);
    private static final Purpose CHANGE = new Purpose(
            true,
            ", by which each row is found again to be changed",
            "add one, of columns that are NOT NULL, without prefixes and expressions");

    /** Characters that are drawn after the common prefix of all keys, more than enough to distinguish rows. */
    private static final int DRAWN_CHARACTERS = 12;

    private static final Set<Kind> MEASURED = Set.of(Kind.NUMBER, Kind.APPROXIMATE, Kind.YEAR, Kind.BIT);

    private final Connection connection;
    private final TableColumn column;
    private final String index;
    private final String hint;
    private final String from;
    private final List<KeyColumn> parts;

    /** The ends of the first part, once they are known. */
    private Optional<Ends> outermost = Optional.empty();

    /** By part: the characters that occur in the keys read so far, as bytes. */
    private final List<TreeSet<String>> alphabets;

    private TableKey(Connection connection, TableColumn column, String index, List<KeyColumn> parts) {
        this.connection = connection;
        this.column = column;
        this.index = index;
        this.parts = List.copyOf(parts);
        hint = " FORCE INDEX (" + quoted(index) + ")";
        from = " FROM " + quoted(column.schema(), column.table()) + hint;
        alphabets = parts.stream().map(part -> new TreeSet<String>()).toList();
    }

    /** A qualified name for a statement. */
    static String quoted(String... names) {
        return Stream.of(names).map(name -> "`" + name.replace("`", "``") + "`").collect(Collectors.joining("."));
    }

    /**
     * The key by which rows of a column's table are changed: without approximate numbers, which may not be found again.
     *
     * @throws dev.blobmark.mysql.table.DatasetException if the table has no such key; with what is wrong with each
     *     unique index
     */
    public static TableKey of(Connection connection, TableColumn column) throws SQLException {
        ColumnFacts.types(connection, column);
        return of(connection, column, CHANGE);
    }

    /** The same, to read all rows. */
    static TableKey forReading(Connection connection, TableColumn column) throws SQLException {
        ColumnFacts.types(connection, column);
        return of(connection, column, READ);
    }

    /**
     * The key by which a sample of the rows is read; its columns may be approximate numbers.
     *
     * @throws dev.blobmark.mysql.table.DatasetException if the table has no such key
     */
    static TableKey forSample(Connection connection, TableColumn column) throws SQLException {
        return of(connection, column, SAMPLE);
    }

    /** A part of an index, or why it cannot be used. */
    private record Part(Optional<KeyColumn> column, String problem) {

        static Part unusable(String problem) {
            return new Part(Optional.empty(), problem);
        }
    }

    private static TableKey of(Connection connection, TableColumn column, Purpose purpose) throws SQLException {
        Map<String, List<Part>> indexes = indexes(connection, column, purpose);
        return indexes.entrySet().stream()
                .filter(index ->
                        index.getValue().stream().allMatch(part -> part.column().isPresent()))
                .findFirst()
                .map(index -> new TableKey(
                        connection,
                        column,
                        index.getKey(),
                        index.getValue().stream()
                                .map(part -> part.column().orElseThrow())
                                .toList()))
                .orElseThrow(() -> column.problem(
                        "the table has no primary key or other unique index that is usable" + purpose.reason
                                + problems(indexes),
                        purpose.remedy));
    }

    private static String problems(Map<String, List<Part>> indexes) {
        return indexes.entrySet().stream()
                .map(index -> index.getKey() + ": "
                        + index.getValue().stream()
                                .map(Part::problem)
                                .filter(problem -> !problem.isEmpty())
                                .collect(Collectors.joining(", ")))
                .map(problem -> " (" + problem + ")")
                .collect(Collectors.joining());
    }

    /** The unique indexes by name, the primary key first. */
    private static Map<String, List<Part>> indexes(Connection connection, TableColumn column, Purpose purpose)
            throws SQLException {
        String sql =
                "SELECT s.index_name, s.column_name, s.sub_part, s.nullable, s.index_type, s.collation AS direction,"
                        + " c.ordinal_position, c.data_type, c.column_type, c.character_set_name, c.collation_name,"
                        + " c.datetime_precision FROM information_schema.statistics s LEFT JOIN information_schema.columns c"
                        + " ON c.table_schema = s.table_schema AND c.table_name = s.table_name AND c.column_name = s.column_name"
                        // MariaDB joins orders and Orders, which are two tables
                        + " AND CAST(c.table_name AS BINARY) = CAST(s.table_name AS BINARY)"
                        + " AND CAST(c.table_schema AS BINARY) = CAST(s.table_schema AS BINARY)"
                        + " WHERE s.table_schema = ? AND s.table_name = ? AND s.non_unique = 0"
                        + usable(connection)
                        + " ORDER BY s.index_name <> 'PRIMARY', s.index_name, s.seq_in_index";
        boolean isMariaDb = Sql.strings(connection, "SELECT VERSION()").get(0).contains("MariaDB");
        Map<String, List<Part>> indexes = new LinkedHashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, column.schema());
            statement.setString(2, column.table());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    indexes.computeIfAbsent(row.getString("index_name"), index -> new ArrayList<>())
                            .add(part(row, purpose, isMariaDb));
                }
            }
        }
        return indexes;
    }

    private static Part part(ResultSet row, Purpose purpose, boolean isMariaDb) throws SQLException {
        String name = row.getString("column_name");
        String type = row.getString("data_type");
        if (name == null || type == null) {
            return Part.unusable("an expression");
        }
        if (row.getString("sub_part") != null) {
            return Part.unusable("only the first " + row.getString("sub_part") + " characters of " + name);
        }
        if ("YES".equals(row.getString("nullable"))) {
            return Part.unusable(name + " may be NULL");
        }
        if (!"BTREE".equals(row.getString("index_type"))) {
            return Part.unusable("the index is of type " + row.getString("index_type"));
        }
        Optional<Kind> kind = Kind.of(type.toLowerCase(Locale.ROOT));
        if (kind.isEmpty()) {
            return Part.unusable(name + " is of type " + type + ", in whose order rows are not read");
        }
        if (kind.get() == Kind.APPROXIMATE && purpose.isExact) {
            return Part.unusable(name + " is of type " + type + ", whose values are approximate");
        }
        KeyColumn part = new KeyColumn(
                name,
                row.getInt("ordinal_position") - 1,
                type.toLowerCase(Locale.ROOT),
                row.getString("column_type"),
                Optional.ofNullable(row.getString("character_set_name")),
                Optional.ofNullable(row.getString("collation_name")),
                row.getInt("datetime_precision"),
                "D".equals(row.getString("direction")),
                kind.get());
        return part.problem(isMariaDb)
                .map(problem -> Part.unusable(name + " is " + problem))
                .orElse(new Part(Optional.of(part), ""));
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
                .map(name -> " AND s." + name + (name.equalsIgnoreCase("IGNORED") ? " = 'NO'" : " = 'YES'"))
                .collect(Collectors.joining());
    }

    /** The key's columns as a list for a statement, not as they are read: see {@link #selected}. */
    public String columns() {
        return parts.stream().map(KeyColumn::quoted).collect(Collectors.joining(", "));
    }

    /** What is selected to {@link #read} the key. */
    public String selected() {
        return parts.stream().map(KeyColumn::selected).collect(Collectors.joining(", "));
    }

    /** The key's columns, in the order of the index. */
    public List<KeyColumn> parts() {
        return parts;
    }

    /**
     * Reads the key of a row. Nothing is remembered of it.
     *
     * @param first number of the key's first column in the result
     * @throws dev.blobmark.mysql.table.DatasetException if the row could not be found again by its key
     */
    public List<Object> read(ResultSet row, int first) throws SQLException {
        SessionSettings.require(row.getStatement().getConnection());
        List<Object> key = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            KeyColumn part = parts.get(i);
            key.add(part.read(row, first + i)
                    .orElseThrow(() -> column.problem(
                            "the key's column " + part.name() + " has a value that the server does not find again: not"
                                    + " valid in the character set "
                                    + part.charset().orElse("of its type")
                                    + ", or the column is another one by now",
                            "repair the value; if the column was changed, begin again")));
        }
        return key;
    }

    /** The same, and remembers the characters that occur in text, from which {@link #drawn} makes positions. */
    List<Object> sampled(ResultSet row, int first) throws SQLException {
        List<Object> key = read(row, first);
        for (int i = 0; i < key.size(); i++) {
            if (parts.get(i).number(key.get(i)).isEmpty()) {
                alphabets.get(i).addAll(characters(i, (String) key.get(i)));
            }
        }
        return key;
    }

    private List<String> characters(int part, String bytes) {
        return KeyText.characters(bytes, parts.get(part).charset().orElse("binary"));
    }

    /** The keys of the first rows. */
    List<List<Object>> first(int rows) throws SQLException {
        List<List<Object>> keys = new ArrayList<>();
        try (PreparedStatement select =
                        connection.prepareStatement("SELECT " + selected() + all().sql + " LIMIT " + rows);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                keys.add(sampled(row, 1));
            }
        }
        return keys;
    }

    /** The key of the first row of a range; empty if the range is. */
    Optional<List<Object>> first(Range range) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT " + selected() + range.sql + " LIMIT 1")) {
            range.bind(select);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(sampled(row, 1)) : Optional.empty();
            }
        }
    }

    /** The key of the last row before a key; empty if that is the first one. */
    Optional<List<Object>> before(List<Object> key) throws SQLException {
        Clause before = compared(key, Relation.BEFORE);
        return first(new Range(from + " WHERE " + before.sql + order(0, true), before.parameters));
    }

    /** The key of the last row; empty if there is none. */
    Optional<List<Object>> last() throws SQLException {
        return first(new Range(from + order(0, true), List.of()));
    }

    /** The order of the index, which it is read in, from a part on; or the opposite. */
    private String order(int part, boolean isReversed) {
        return parts.subList(part, parts.size()).stream()
                .map(each -> each.quoted() + (each.isDescending() != isReversed ? " DESC" : ""))
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
        position.add(middle(part, new Ends(first.get(part), last.get(part)), random));
        Clause middle = begins(position, Relation.FROM)
                .and(begins(first.subList(0, part + 1), Relation.AFTER))
                .and(compared(last, Relation.UP_TO));
        return first(where(middle));
    }

    /** A position in the middle between two values, nearer to the last. For text, a random one. */
    private Object middle(int part, Ends ends, UniformRandomProvider random) {
        KeyColumn of = parts.get(part);
        Optional<BigInteger> first = of.number(ends.first);
        if (first.isPresent()) {
            BigInteger span = of.number(ends.last).orElseThrow().subtract(first.get());
            BigInteger half = span.add(BigInteger.valueOf(span.signum())).divide(BigInteger.TWO);
            return of.value(first.get().add(half), ends.last);
        }
        if (of.kind() == Kind.TEXT) {
            return place(part, ends, random);
        }
        return of.isDescending()
                ? middle((String) ends.last, (String) ends.first)
                : middle((String) ends.first, (String) ends.last);
    }

    /** All rows. */
    public Range all() {
        return new Range(from + order(0, false), List.of());
    }

    /** The rows after a key. */
    public Range after(List<Object> key) {
        return where(compared(key, Relation.AFTER));
    }

    /**
     * The rows after a key up to another one.
     *
     * @param after empty from the first row on
     */
    public Range between(Optional<List<Object>> after, List<Object> last) {
        Clause until = compared(last, Relation.UP_TO);
        return where(after.map(key -> compared(key, Relation.AFTER).and(until)).orElse(until));
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
        List<Range> ranges = new ArrayList<>();
        ranges.add(where(begins(first.subList(0, part + 1), isLast(part) ? Relation.FROM : Relation.AFTER)
                .and(begins(last.subList(0, part + 1), isLast(part) ? Relation.UP_TO : Relation.BEFORE))));
        for (int i = part + 1; i < parts.size(); i++) {
            ranges.add(where(begins(first.subList(0, i + 1), isLast(i) ? Relation.FROM : Relation.AFTER)));
            ranges.add(where(begins(last.subList(0, i + 1), isLast(i) ? Relation.UP_TO : Relation.BEFORE)));
        }
        return ranges;
    }

    private boolean isLast(int part) {
        return part == parts.size() - 1;
    }

    private Range where(Clause condition) {
        return new Range(from + " WHERE " + condition.sql + order(0, false), condition.parameters);
    }

    /** The condition that a row is somewhere in the order of the index, compared with a key. */
    private Clause compared(List<Object> key, Relation relation) {
        Relation strictly = relation == Relation.UP_TO ? Relation.BEFORE : relation;
        return Clause.joined(
                IntStream.range(0, key.size())
                        .mapToObj(
                                part -> begins(key.subList(0, part + 1), part == key.size() - 1 ? relation : strictly))
                        .toList(),
                " OR ");
    }

    /** The condition that a row's key begins with some values, but for the last of them, which it has a relation to. */
    private Clause begins(List<Object> values, Relation relation) {
        return Clause.joined(
                IntStream.range(0, values.size())
                        .mapToObj(part -> parts.get(part)
                                .is(part < values.size() - 1 ? Relation.EQUAL : relation, values.get(part)))
                        .toList(),
                " AND ");
    }

    /** The names of the key's columns, in their order. */
    public List<String> names() {
        return parts.stream().map(KeyColumn::name).toList();
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
        return parts.stream().map(KeyColumn::isEqual).collect(Collectors.joining(" AND "));
    }

    /** Sets the parameters of {@link #condition} from a number on; returns the number after them. */
    public int bind(PreparedStatement statement, int first, List<Object> key) throws SQLException {
        SessionSettings.require(statement.getConnection());
        for (int i = 0; i < parts.size(); i++) {
            parts.get(i).bind(statement, first + i, key.get(i));
        }
        return first + parts.size();
    }

    /** A key as texts, from which {@link #parse} makes it again. Those of bytes have the characters 0 to 255. */
    public List<String> texts(List<Object> key) {
        return IntStream.range(0, parts.size())
                .mapToObj(i -> parts.get(i).text(key.get(i)))
                .toList();
    }

    public List<Object> parse(List<String> texts) {
        return IntStream.range(0, parts.size())
                .mapToObj(i -> parts.get(i).parsed(texts.get(i)))
                .toList();
    }

    /**
     * A key that a user writes, part by part as {@link #readable} shows them; bytes after {@code 0x}.
     *
     * @throws dev.blobmark.mysql.table.DatasetException if it has another number of parts, or one is no value of its
     *     column
     */
    public List<Object> written(List<String> texts) {
        if (texts.size() != parts.size()) {
            throw column.problem(
                    "its key has " + parts.size() + (parts.size() == 1 ? " column (" : " columns (")
                            + String.join(", ", names()) + "), and " + texts.size() + " values were given",
                    "give one value for each column, in this order");
        }
        return IntStream.range(0, parts.size())
                .mapToObj(i -> parts.get(i)
                        .written(texts.get(i))
                        .orElseThrow(() -> column.problem(
                                "'" + texts.get(i) + "' is no value of the key's column "
                                        + parts.get(i).name(),
                                "write numbers as such, text as such, and bytes as 0x and hexadecimal digits")))
                .toList();
    }

    /** A key for users: text as such, bytes that are no text as hexadecimal digits. */
    public String readable(List<Object> key) {
        return String.join(", ", readableParts(key));
    }

    /** The same, part by part. */
    public List<String> readableParts(List<Object> key) {
        return IntStream.range(0, parts.size())
                .mapToObj(i -> parts.get(i).readable(key.get(i)))
                .toList();
    }

    /** The rows from a random position between the ends of the key; empty if the table was empty at the first call. */
    Optional<Range> drawn(UniformRandomProvider random) throws SQLException {
        List<Object> key = new ArrayList<>();
        for (int part = 0; part < parts.size(); part++) {
            Optional<Ends> ends = ends(key);
            if (ends.isEmpty()) { // the table is empty, or others have just deleted all rows that begin so
                return key.isEmpty() ? Optional.empty() : Optional.of(from(key));
            }
            key.add(place(part, ends.get(), random));
            if (part < parts.size() - 1) {
                key.set(part, value(from(key), part).orElse(ends.get().first));
            }
        }
        return Optional.of(from(key));
    }

    /** The rows from a value of the last part on, with equal values of the parts before it. */
    Range from(List<Object> key) {
        Clause begin = begins(key, Relation.FROM);
        return new Range(from + " WHERE " + begin.sql + order(key.size() - 1, false), begin.parameters);
    }

    /** The ends of the part after these; empty if no row begins with them. */
    private Optional<Ends> ends(List<Object> before) throws SQLException {
        if (before.isEmpty() && outermost.isPresent()) {
            return outermost;
        }
        Optional<Object> first = end(before, false);
        Optional<Object> last = end(before, true);
        Optional<Ends> ends = first.isPresent() && last.isPresent()
                ? Optional.of(new Ends(first.get(), last.get()))
                : Optional.empty();
        if (before.isEmpty()) {
            outermost = ends;
        }
        return ends;
    }

    /** The first or the last value of the part after these. */
    private Optional<Object> end(List<Object> before, boolean isLast) throws SQLException {
        Clause where = before.isEmpty() ? Clause.of("") : begins(before, Relation.EQUAL);
        String condition = before.isEmpty() ? "" : " WHERE " + where.sql;
        return value(new Range(from + condition + order(before.size(), isLast), where.parameters), before.size());
    }

    private Optional<Object> value(Range range, int part) throws SQLException {
        KeyColumn of = parts.get(part);
        try (PreparedStatement select =
                connection.prepareStatement("SELECT " + of.selected() + range.sql + " LIMIT 1")) {
            range.bind(select);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? of.read(row, 1) : Optional.empty();
            }
        }
    }

    /**
     * A random position between two values. For numbers, any number. For text, the common prefix of both, followed by
     * characters that occur in keys, whatever their order in the server's collation.
     */
    private Object place(int part, Ends ends, UniformRandomProvider random) {
        KeyColumn of = parts.get(part);
        Optional<BigInteger> first = of.number(ends.first);
        if (first.isPresent()) {
            BigInteger last = of.number(ends.last).orElseThrow();
            BigInteger span = last.subtract(first.get()).abs();
            byte[] drawn = ByteBuffer.allocate(2 * Long.BYTES)
                    .putLong(random.nextLong())
                    .putLong(random.nextLong())
                    .array();
            return of.value(
                    first.get().min(last).add(new BigInteger(1, drawn).mod(span.add(BigInteger.ONE))), ends.last);
        }
        List<String> low = characters(part, (String) ends.first);
        List<String> high = characters(part, (String) ends.last);
        int common = 0;
        while (common < Math.min(low.size(), high.size()) && low.get(common).equals(high.get(common))) {
            common++;
        }
        TreeSet<String> known = new TreeSet<>(alphabets.get(part));
        if (known.isEmpty()) { // the server ended the first statement for its time
            known.addAll(low);
            known.addAll(high);
        }
        List<String> alphabet = List.copyOf(known);
        StringBuilder place = new StringBuilder(String.join("", low.subList(0, common)));
        for (int i = 0; i < DRAWN_CHARACTERS && !low.equals(high); i++) {
            place.append(alphabet.get((int) Long.remainderUnsigned(random.nextLong(), alphabet.size())));
        }
        return place.toString();
    }

    /** Bytes between two others: after the first ones, and not after the last ones. */
    private static String middle(String low, String high) {
        int common = 0;
        while (common < Math.min(low.length(), high.length()) && low.charAt(common) == high.charAt(common)) {
            common++;
        }
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
        KeyColumn of = parts.get(0);
        if (parts.size() > 1 || outermost.isEmpty() || !MEASURED.contains(of.kind())) {
            return Optional.empty();
        }
        double all = span(of, outermost.get().first, outermost.get().last);
        return Optional.of(span(of, range.parameters.get(0).value, last.get(0)) / all);
    }

    private static double span(KeyColumn of, Object first, Object last) {
        BigInteger span =
                of.number(last).orElseThrow().subtract(of.number(first).orElseThrow());
        return span.abs().doubleValue() + 1;
    }
}
