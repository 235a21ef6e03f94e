package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.RowReader;
import dev.blobmark.reencode.table.ShadowNames;
import java.sql.Connection;

/**
 * A table that was exchanged, and the former one.
 *
 * @param key of the column's table
 * @param value expression for the stored bytes of the former table
 * @param asking a connection for short questions, in autocommit
 */
record ComparedTables(
        Endpoint endpoint,
        TableColumn column,
        TableKey key,
        String value,
        Chunks.Limits limits,
        Conversion conversion,
        Connection asking) {

    TableColumn former() {
        return TableColumn.of(column.schema(), ShadowNames.former(column.table()), column.column());
    }

    TableKey formerKey() {
        return key.of(former().table());
    }

    RowReader formerRows(Connection connection) {
        return new RowReader(connection, former(), formerKey(), limits.maxLength(), value);
    }
}
