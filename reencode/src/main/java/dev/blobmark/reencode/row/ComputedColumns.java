package dev.blobmark.reencode.row;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.table.Groups;
import dev.blobmark.reencode.table.Names;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Columns that the server computes and stores. It computes them again for an UPDATE of any other column, under the
 * settings of that session. What a row had from other settings would be lost: the date of a text under another
 * {@code sql_mode}, for example. Which expressions depend on settings is not known for certain, so what they have is
 * compared. Confined to one thread.
 */
public final class ComputedColumns {

    private static final String AGAIN =
            ": the server computes it again, and this value was computed under other settings of"
                    + " a session, such as sql_mode";

    private static final String REMEDY = "write such rows again, or drop the column for the time of the change";

    private final Connection connection;
    private final TableColumn column;
    private final TableKey key;
    private final List<String> names;
    private final String select;

    public ComputedColumns(Connection connection, TableColumn column, TableKey key) throws SQLException {
        this.connection = connection;
        this.column = column;
        this.key = key;
        Map<String, String> texts = RowDigest.computed(connection, column);
        names = List.copyOf(texts.keySet());
        select = "SELECT "
                + texts.values().stream().map(text -> "SHA2(" + text + ", 256)").collect(Collectors.joining(", "))
                + ", " + key.selected() + " FROM " + Names.quoted(column.schema(), column.table()) + key.hint()
                + " WHERE ";
    }

    /** Whether there is nothing to compare. */
    public boolean isEmpty() {
        return names.isEmpty();
    }

    /** What rows have, by their keys. Others cannot change them until the transaction ends. */
    public Map<List<Object>, List<String>> lock(List<List<Object>> keys) throws SQLException {
        return read(keys, " FOR UPDATE");
    }

    private Map<List<Object>, List<String>> read(List<List<Object>> keys, String how) throws SQLException {
        Map<List<Object>, List<String>> found = new HashMap<>();
        Groups.forEach(keys, (some, size) -> {
            String sql = select + String.join(" OR ", Collections.nCopies(size, "(" + key.condition() + ")"));
            try (PreparedStatement statement = connection.prepareStatement(sql + how)) {
                for (int from = 0; from < some.size(); from += size) {
                    int next = 1;
                    for (List<Object> each : some.subList(from, from + size)) {
                        next = key.bind(statement, next, each);
                    }
                    read(statement, found);
                }
            }
        });
        return found;
    }

    private void read(PreparedStatement statement, Map<List<Object>, List<String>> found) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                List<String> digests = new ArrayList<>();
                for (int i = 1; i <= names.size(); i++) {
                    digests.add(row.getString(i));
                }
                found.put(key.read(row, names.size() + 1), digests);
            }
        }
    }

    /**
     * Compares rows with what they had before they were written in this transaction.
     *
     * @throws ReencodeException if a column has another value; the transaction must be rolled back
     */
    public void requireSame(Map<List<Object>, List<String>> before) throws SQLException {
        Optional<Differing> first = differing(before, lock(List.copyOf(before.keySet())));
        if (first.isPresent()) {
            throw new ReencodeException(
                    column.name() + ", key " + first.get().key(),
                    "the generated column " + first.get().name() + " would get another value than it has" + AGAIN,
                    REMEDY + "; the same command continues");
        }
    }

    /**
     * Why a copy differs, if such a column does.
     *
     * @param copy the same of the new table
     */
    public Optional<CopyEndedException> difference(ComputedColumns copy, List<List<Object>> keys) throws SQLException {
        if (isEmpty()) {
            return Optional.empty();
        }
        return differing(read(keys, ""), copy.read(keys, ""))
                .map(first -> new CopyEndedException(
                        column.name() + ", key " + first.key(),
                        "the generated column " + first.name()
                                + " has another value in the new table than in the former one" + AGAIN + ". "
                                + REMEDY));
    }

    private record Differing(String key, String name) {}

    private Optional<Differing> differing(
            Map<List<Object>, List<String>> before, Map<List<Object>, List<String>> after) {
        for (Map.Entry<List<Object>, List<String>> row : before.entrySet()) {
            List<String> digests = after.get(row.getKey());
            for (int i = 0; digests != null && i < names.size(); i++) {
                if (!Objects.equals(row.getValue().get(i), digests.get(i))) {
                    return Optional.of(new Differing(key.readable(row.getKey()), names.get(i)));
                }
            }
        }
        return Optional.empty();
    }
}
