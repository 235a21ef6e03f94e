package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.ColumnContent;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Design;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;

/**
 * Compares what a worker read, after decoding, with the values. A column of text or JSON may return a value in another
 * form ({@link ColumnContent#isSame}). The form of a row's value is always the same, so its length is known once its
 * content has been compared.
 */
final class ReturnedValues {

    private final EncodedValues values;
    private final ColumnContent content;
    private final boolean isMariaDbDriver;

    /**
     * By row: the length of the compared value, 0 before the comparison. Empty if rows have the lengths of the values.
     */
    private final int[] lengths;

    ReturnedValues(EncodedValues values, Design design) {
        this.values = values;
        content = design.get(Column.FACTOR).content();
        isMariaDbDriver = design.get(Driver.FACTOR) == Driver.MARIADB;
        lengths = new int[content.returnsBytes() ? 0 : values.count()];
    }

    /** The value in a row, as the trial's driver gives its bytes. */
    byte[] read(ResultSet row) throws SQLException {
        return isMariaDbDriver ? content.bytes(row) : row.getBytes(1);
    }

    /** Application bytes of a value, independent of the form in which the column returns it. */
    int applicationLength(int row, int received) {
        return content.returnsBytes() ? received : values.length(row);
    }

    /** The problem of a value's length; empty if none is known. */
    Optional<String> lengthProblem(int row, int received) {
        int expected = content.returnsBytes() ? values.length(row) : lengths[row];
        return received == expected || expected == 0 && !content.returnsBytes()
                ? Optional.empty()
                : Optional.of(" has " + received + " bytes instead of " + expected);
    }

    /** The problem of a value; empty if it is right. */
    Optional<String> problem(int row, byte[] received, int length) {
        Optional<String> problem = lengthProblem(row, length);
        if (problem.isPresent()) {
            return problem;
        }
        boolean isSame = content.returnsBytes()
                ? EncodedValues.hash(received, 0, length) == values.hash(row)
                : content.isSame(Arrays.copyOf(received, length), values.stored(row));
        if (isSame && !content.returnsBytes()) {
            lengths[row] = length;
        }
        return isSame ? Optional.empty() : Optional.of(" differs from what was stored");
    }
}
