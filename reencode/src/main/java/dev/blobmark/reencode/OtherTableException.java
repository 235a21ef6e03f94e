package dev.blobmark.reencode;

import dev.blobmark.lab.dataset.TableColumn;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * At the end of a change in place, its table is another one than at the beginning: it was restored from a backup,
 * rebuilt, or exchanged. Rows before the position may have their former values again.
 */
final class OtherTableException extends RuntimeException {

    private OtherTableException(TableColumn column) {
        super(column.name() + ": the table was restored, rebuilt or exchanged while it was changed");
    }

    /** @throws OtherTableException if the table can be identified, and is not that of the state */
    static void check(Connection connection, TableColumn column, State state) throws SQLException {
        if (state.isOfOther(TableIdentity.read(connection, column.schema(), column.table()))) {
            throw new OtherTableException(column);
        }
    }
}
