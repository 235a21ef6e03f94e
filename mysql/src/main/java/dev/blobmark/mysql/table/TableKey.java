package dev.blobmark.mysql.table;

import dev.blobmark.mysql.client.SessionSettings;
import dev.blobmark.mysql.table.KeyColumn.KeyRelation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A unique key of a table by which ranges of rows are read: the primary key, or another unique index over columns that
 * are NOT NULL. Each query finds one position in the index and reads from there, in the order of the index.
 *
 * <p>Values are those of {@link KeyColumn.Kind}. Text is never decoded, so that a row is found again by what was read,
 * whatever its character set and collation. Two keys of a row that was not changed are equal.
 *
 * <p>Sessions need the settings that {@link dev.blobmark.mysql.client.JdbcDriver} gives to connections that work on
 * data of a user; in others, a key could stand for another row, or for none.
 */
public final class TableKey {

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

    private final Connection connection;
    private final TableColumn column;
    private final String index;
    private final String hint;
    private final String from;
    private final List<KeyColumn> parts;

    TableKey(Connection connection, TableColumn column, String index, List<KeyColumn> parts) {
        this.connection = connection;
        this.column = column;
        this.index = index;
        this.parts = List.copyOf(parts);
        hint = " FORCE INDEX (" + quoted(index) + ")";
        from = " FROM " + quoted(column.schema(), column.table()) + hint;
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
        return KeyIndexes.find(connection, column, KeyIndexes.CHANGE);
    }

    /** The same, to read all rows. */
    static TableKey forReading(Connection connection, TableColumn column) throws SQLException {
        ColumnFacts.types(connection, column);
        return KeyIndexes.find(connection, column, KeyIndexes.READ);
    }

    /**
     * The key by which a sample of the rows is read; its columns may be approximate numbers.
     *
     * @throws dev.blobmark.mysql.table.DatasetException if the table has no such key
     */
    static TableKey forSample(Connection connection, TableColumn column) throws SQLException {
        return KeyIndexes.find(connection, column, KeyIndexes.SAMPLE);
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

    /** The order of the index, which it is read in, from a part on; or the opposite. */
    private String order(int part, boolean isReversed) {
        return parts.subList(part, parts.size()).stream()
                .map(each -> each.quoted() + (each.isDescending() != isReversed ? " DESC" : ""))
                .collect(Collectors.joining(", ", " ORDER BY ", ""));
    }

    /** All rows. */
    public Range all() {
        return where(Optional.empty(), 0, false);
    }

    /** The rows after a key. */
    public Range after(List<Object> key) {
        return where(compared(key, KeyRelation.AFTER));
    }

    /**
     * The rows after a key up to another one.
     *
     * @param after empty from the first row on
     */
    public Range between(Optional<List<Object>> after, List<Object> last) {
        Clause until = compared(last, KeyRelation.UP_TO);
        return where(
                after.map(key -> compared(key, KeyRelation.AFTER).and(until)).orElse(until));
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
        ranges.add(where(begins(first.subList(0, part + 1), isLast(part) ? KeyRelation.FROM : KeyRelation.AFTER)
                .and(begins(last.subList(0, part + 1), isLast(part) ? KeyRelation.UP_TO : KeyRelation.BEFORE))));
        for (int i = part + 1; i < parts.size(); i++) {
            ranges.add(where(begins(first.subList(0, i + 1), isLast(i) ? KeyRelation.FROM : KeyRelation.AFTER)));
            ranges.add(where(begins(last.subList(0, i + 1), isLast(i) ? KeyRelation.UP_TO : KeyRelation.BEFORE)));
        }
        return ranges;
    }

    private boolean isLast(int part) {
        return part == parts.size() - 1;
    }

    Range where(Clause condition) {
        return where(Optional.of(condition), 0, false);
    }

    /**
     * The rows that fulfil a condition, in the order of the index or in the opposite one.
     *
     * @param condition empty for all
     * @param part after parts that are equal in all of them
     */
    Range where(Optional<Clause> condition, int part, boolean isReversed) {
        return new Range(
                from + condition.map(each -> " WHERE " + each.sql).orElse("") + order(part, isReversed),
                condition.map(Clause::parameters).orElse(List.of()));
    }

    /** The condition that a row is somewhere in the order of the index, compared with a key. */
    Clause compared(List<Object> key, KeyRelation relation) {
        KeyRelation strictly = relation == KeyRelation.UP_TO ? KeyRelation.BEFORE : relation;
        return Clause.joined(
                IntStream.range(0, key.size())
                        .mapToObj(
                                part -> begins(key.subList(0, part + 1), part == key.size() - 1 ? relation : strictly))
                        .toList(),
                " OR ");
    }

    /** The condition that a row's key begins with some values, but for the last of them, which it has a relation to. */
    Clause begins(List<Object> values, KeyRelation relation) {
        return Clause.joined(
                IntStream.range(0, values.size())
                        .mapToObj(part -> parts.get(part)
                                .is(part < values.size() - 1 ? KeyRelation.EQUAL : relation, values.get(part)))
                        .toList(),
                " AND ");
    }

    Connection connection() {
        return connection;
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

    /** The rows from a value of the last part on, with equal values of the parts before it. */
    Range from(List<Object> key) {
        return where(Optional.of(begins(key, KeyRelation.FROM)), key.size() - 1, false);
    }
}
