package dev.blobmark.reencode.inplace;

import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.RowImage;
import dev.blobmark.reencode.throttle.Throttle;

/**
 * What each way of changing rows works with.
 *
 * @param image what the change of a row adds to the binary log
 * @param targetNanos how long a transaction should take
 * @param converters number of threads that convert values, see {@link dev.blobmark.reencode.row.Chunks}
 */
public record Work(
        TableColumn column,
        TableKey key,
        Conversion conversion,
        Throttle throttle,
        RowImage image,
        long targetNanos,
        int converters,
        Clock clock) {}
