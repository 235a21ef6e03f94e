package dev.blobmark.reencode.table;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * By what a column that is changed in place is known again: its table, and its place among the columns. Two columns may
 * exchange their names within a moment (ALTER TABLE … RENAME COLUMN), and the table stays the same.
 *
 * @param ids those of the {@link TableIdentity}; empty if the table cannot be identified
 * @param ordinal place of the column, from 1; 0 if it is not known, as in a state of an older version
 */
public record ColumnIdentity(String ids, Integer ordinal) {

    public ColumnIdentity {
        ordinal = ordinal == null ? 0 : ordinal;
    }

    /** The identity of a column now. */
    public static ColumnIdentity read(Connection connection, TableColumn column) throws SQLException {
        String ordinal = Sql.row(
                        connection,
                        "SELECT ordinal_position FROM information_schema.columns"
                                + " WHERE table_schema = ? AND table_name = ? AND column_name = ?",
                        column.schema(),
                        column.table(),
                        column.column())
                .get("ordinal_position");
        return new ColumnIdentity(
                TableIdentity.read(connection, column.schema(), column.table())
                        .map(TableIdentity::ids)
                        .orElse(""),
                ordinal == null ? 0 : Integer.parseInt(ordinal));
    }

    public @JsonIgnore Optional<TableIdentity> table() {
        return ids.isEmpty() ? Optional.empty() : Optional.of(new TableIdentity(ids));
    }

    /** Whether this is another column than an earlier one, as far as both are known. */
    public boolean isOther(ColumnIdentity earlier) {
        boolean isOtherTable = table().isPresent()
                && earlier.table().isPresent()
                && !table().get().isWithin(earlier.table().get());
        return isOtherTable || ordinal > 0 && earlier.ordinal > 0 && !ordinal.equals(earlier.ordinal);
    }
}
