package dev.blobmark.bench.lab;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SplittableRandom;

/** A fetch loop as anyone would write it by hand, with which the lab's loop is compared. */
final class BareFetch {

    private BareFetch() {}

    /** Fetches random rows for this time; returns operations per second. */
    static double run(PreparedStatement select, SplittableRandom random, int rows, long nanos) throws SQLException {
        long count = 0;
        long start = System.nanoTime();
        long end;
        do {
            fetch(select, random.nextInt(rows));
            count++;
            end = System.nanoTime();
        } while (end - start < nanos);
        return count * 1e9 / (end - start);
    }

    static void fetch(PreparedStatement select, int row) throws SQLException {
        select.setInt(1, row);
        try (ResultSet result = select.executeQuery()) {
            result.next();
            if (result.getBytes(1).length == 0) throw new SQLException("an empty value");
        }
    }
}
