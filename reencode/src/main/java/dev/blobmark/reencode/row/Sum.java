package dev.blobmark.reencode.row;

import java.math.BigInteger;

/**
 * An additive digest of the rows of a table: those of two sets of rows together are the sum of both. Rows that are
 * equal in two tables have the same digest, whatever their order.
 *
 * @param rows number of rows
 * @param values sum over the values, each with its key, see {@link RowDigest}
 * @param others sum over the columns that are copied as they are, each row with its key
 */
public record Sum(long rows, BigInteger values, BigInteger others) {

    public static final Sum ZERO = new Sum(0, BigInteger.ZERO, BigInteger.ZERO);

    public Sum plus(Sum more) {
        return new Sum(rows + more.rows, values.add(more.values), others.add(more.others));
    }

    public Sum minus(Sum less) {
        return new Sum(rows - less.rows, values.subtract(less.values), others.subtract(less.others));
    }
}
