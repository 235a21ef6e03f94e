package dev.blobmark.reencode.checkpoint;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.row.RowDigest;
import dev.blobmark.reencode.table.Names;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * All that is stored of a row.
 *
 * @param columns bytes as hexadecimal digits by name, null for NULL; without columns that the server computes
 */
public record RowContent(Map<String, String> columns) {

    /** Reads rows of one table. */
    public static final class Reader {
        private final Connection connection;
        private final TableColumn column;
        private final TableKey key;
        private final List<String> names;
        private final String select;

        /**
         * @param texts expressions for the bytes of columns by their names, see {@link RowDigest#texts}
         * @param value expression for the stored bytes of the values
         */
        public Reader(
                Connection connection, TableColumn column, TableKey key, Map<String, String> texts, String value) {
            this.connection = connection;
            this.key = key;
            Map<String, String> all = new LinkedHashMap<>(texts);
            all.put(column.column(), value);
            names = List.copyOf(all.keySet());
            this.column = column;
            String nulls =
                    names.stream().map(name -> Names.quoted(name) + " IS NULL").collect(Collectors.joining(", "));
            select = "SELECT " + String.join(", ", all.values()) + ", " + nulls + " FROM "
                    + Names.quoted(column.schema(), column.table()) + key.hint() + " WHERE " + key.condition();
        }

        /** A row; empty if it is not there. */
        public Optional<RowContent> read(List<Object> of) throws SQLException {
            return read(of, "");
        }

        /** The same, and keeps others from changing it until the end of the transaction. */
        public Optional<RowContent> lock(List<Object> of) throws SQLException {
            return read(of, " FOR UPDATE");
        }

        private Optional<RowContent> read(List<Object> of, String how) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(select + how)) {
                key.bind(statement, 1, of);
                try (ResultSet row = statement.executeQuery()) {
                    if (!row.next()) {
                        return Optional.empty();
                    }
                    Map<String, String> columns = new LinkedHashMap<>();
                    for (int i = 0; i < names.size(); i++) {
                        byte[] bytes = row.getBytes(i + 1);
                        if (bytes == null && !row.getBoolean(names.size() + i + 1)) {
                            throw RowDigest.unseen(column, RowDigest.place(key, of));
                        }
                        columns.put(
                                names.get(i),
                                bytes == null ? null : HexFormat.of().formatHex(bytes));
                    }
                    return Optional.of(new RowContent(columns));
                }
            }
        }
    }

    /** The bytes of a column; empty for NULL. */
    public Optional<byte[]> bytes(String column) {
        return Optional.ofNullable(columns.get(column)).map(HexFormat.of()::parseHex);
    }

    /** Columns other than one that differ from those of another row. */
    public List<String> differing(RowContent other, String but) {
        List<String> differing = new ArrayList<>();
        columns.forEach((name, bytes) -> {
            if (!name.equals(but) && !Objects.equals(bytes, other.columns.get(name))) {
                differing.add(name);
            }
        });
        return differing;
    }

    String json() {
        return State.MAPPER.writeValueAsString(columns);
    }

    @SuppressWarnings("unchecked")
    static RowContent parse(String json) {
        return new RowContent(State.MAPPER.readValue(json, LinkedHashMap.class));
    }
}
