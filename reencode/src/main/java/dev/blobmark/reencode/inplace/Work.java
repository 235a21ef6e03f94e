package dev.blobmark.reencode.inplace;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.RowImage;
import dev.blobmark.reencode.throttle.Throttle;
import java.sql.Connection;

/**
 * What each way of changing rows works with.
 *
 * @param reading a connection that nobody else uses
 * @param writing a connection whose transactions change rows
 * @param image what the change of a row adds to the binary log
 * @param targetNanos how long a transaction should take
 * @param converters number of threads that convert values
 */
public record Work(
        TableColumn column,
        TableKey key,
        Connection reading,
        Connection writing,
        Conversion conversion,
        StateTable states,
        Throttle throttle,
        RowImage image,
        long targetNanos,
        int converters) {}
