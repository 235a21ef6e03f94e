package dev.blobmark.reencode.checkpoint;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.table.ColumnIdentity;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The table of a change in place is not as it was when the process began: others have altered it, or it is another one.
 * It is looked at again, as by a process that begins; what is committed stays.
 */
public final class ChangedTableException extends RuntimeException {

    public ChangedTableException(TableColumn column, String reason) {
        super(column.name() + ": " + reason);
    }

    /** @throws ChangedTableException if the column or its table is not that of the state, as far as they are known */
    public static void check(Connection connection, TableColumn column, State state) throws SQLException {
        if (state.isOfOther(ColumnIdentity.read(connection, column))) {
            throw new ChangedTableException(
                    column,
                    "the table was restored, rebuilt or exchanged, or its columns were moved, while it was changed");
        }
    }
}
