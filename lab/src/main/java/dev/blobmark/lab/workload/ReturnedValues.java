package dev.blobmark.lab.workload;

import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.Content;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Design;
import java.util.Arrays;
import java.util.Optional;

/**
 * Checks what a worker read, after decoding, against the values. A column of text or JSON may return a value in another form ({@link
 * Content#isSame}); a row's value has the same form each time, so that its length is known once its content has been compared.
 */
final class ReturnedValues {

    private final EncodedValues values;
    private final Content content;

    /** By row, of what was compared; 0 before. Empty where rows have the lengths of the values. */
    private final int[] lengths;

    ReturnedValues(EncodedValues values, Design design) {
        this.values = values;
        content = design.get(Column.FACTOR).content();
        lengths = new int[content.returnsBytes() ? 0 : values.count()];
    }

    /** Application bytes of a value: those of the value itself, in whatever form the column returns it. */
    int applicationLength(int row, int received) {
        return content.returnsBytes() ? received : values.length(row);
    }

    /** What is wrong with the length of a value; empty if nothing is known to be. */
    Optional<String> lengthProblem(int row, int received) {
        int expected = content.returnsBytes() ? values.length(row) : lengths[row];
        return received == expected || expected == 0 && !content.returnsBytes()
                ? Optional.empty()
                : Optional.of(" gave " + received + " bytes instead of " + expected);
    }

    /** What is wrong with a value. @param length of it in the array */
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
        return isSame ? Optional.empty() : Optional.of(" gave something else than was stored");
    }
}
