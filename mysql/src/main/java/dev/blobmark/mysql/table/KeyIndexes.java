package dev.blobmark.mysql.table;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.KeyColumn.Kind;
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
import java.util.stream.Collectors;

/** Finds the index of a table by which its rows are read. */
final class KeyIndexes {

    /**
     * What a key is used for.
     *
     * @param isExact whether each row must be found again
     * @param reason why a key is needed
     * @param remedy what to do where there is none
     */
    record Purpose(boolean isExact, String reason, String remedy) {}

    private static final String EXPORT = "add one, or export a sample and use it as jsonl:FILE";
    static final Purpose SAMPLE = new Purpose(false, ", so a sample would require reading all rows", EXPORT);
    static final Purpose READ = new Purpose(true, ", by which it would be read in parts", EXPORT);
    static final Purpose CHANGE = new Purpose(
            true,
            ", by which each row is found again to be changed",
            "add one, of columns that are NOT NULL, without prefixes and expressions");

    private KeyIndexes() {}

    /** A part of an index, or why it cannot be used. */
    private record IndexPart(Optional<KeyColumn> column, String problem) {

        static IndexPart unusable(String problem) {
            return new IndexPart(Optional.empty(), problem);
        }
    }

    static TableKey find(Connection connection, TableColumn column, Purpose purpose) throws SQLException {
        Map<String, List<IndexPart>> indexes = indexes(connection, column, purpose);
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

    private static String problems(Map<String, List<IndexPart>> indexes) {
        return indexes.entrySet().stream()
                .map(index -> index.getKey() + ": "
                        + index.getValue().stream()
                                .map(IndexPart::problem)
                                .filter(problem -> !problem.isEmpty())
                                .collect(Collectors.joining(", ")))
                .map(problem -> " (" + problem + ")")
                .collect(Collectors.joining());
    }

    /** The unique indexes by name, the primary key first. */
    private static Map<String, List<IndexPart>> indexes(Connection connection, TableColumn column, Purpose purpose)
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
        Map<String, List<IndexPart>> indexes = new LinkedHashMap<>();
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

    private static IndexPart part(ResultSet row, Purpose purpose, boolean isMariaDb) throws SQLException {
        String name = row.getString("column_name");
        String type = row.getString("data_type");
        if (name == null || type == null) {
            return IndexPart.unusable("an expression");
        }
        if (row.getString("sub_part") != null) {
            return IndexPart.unusable("only the first " + row.getString("sub_part") + " characters of " + name);
        }
        if ("YES".equals(row.getString("nullable"))) {
            return IndexPart.unusable(name + " may be NULL");
        }
        if (!"BTREE".equals(row.getString("index_type"))) {
            return IndexPart.unusable("the index is of type " + row.getString("index_type"));
        }
        Optional<Kind> kind = Kind.of(type.toLowerCase(Locale.ROOT));
        if (kind.isEmpty()) {
            return IndexPart.unusable(name + " is of type " + type + ", in whose order rows are not read");
        }
        if (kind.get() == Kind.APPROXIMATE && purpose.isExact) {
            return IndexPart.unusable(name + " is of type " + type + ", whose values are approximate");
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
                .map(problem -> IndexPart.unusable(name + " is " + problem))
                .orElse(new IndexPart(Optional.of(part), ""));
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
}
