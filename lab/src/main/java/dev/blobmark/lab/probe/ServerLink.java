package dev.blobmark.lab.probe;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The network between this program and a running server, measured by statements that read no table: how long answers of
 * some sizes take, and requests. Nothing is written, and at most {@value #MAX_BYTES} bytes are sent in both directions
 * together.
 *
 * @param answers from the smallest
 * @param downBytesPerSecond from the server
 * @param upBytesPerSecond to the server
 * @param bytes that were sent for this, in both directions
 */
public record ServerLink(List<FastestAnswer> answers, double downBytesPerSecond, double upBytesPerSecond, long bytes) {

    /** Limits what is sent. */
    public static final long MAX_BYTES = 8L << 20;

    private static final int[] SIZES = {1, 1 << 10, 16 << 10, 128 << 10, 512 << 10}; // less than any max_allowed_packet
    private static final int[] TIMES = {60, 60, 30, 8, 3};

    /** After a statement that took longer, larger ones are left out. */
    private static final long LONG_NANOS = 500_000_000;

    /** The shortest time of an answer of a size: interference only adds time. */
    public record FastestAnswer(int bytes, double nanos) {}

    /** @throws SQLException if the server does not answer */
    public static ServerLink measure(Connection connection) throws SQLException {
        List<FastestAnswer> down = new ArrayList<>();
        List<FastestAnswer> up = new ArrayList<>();
        long sent = 0;
        try (PreparedStatement select = connection.prepareStatement("SELECT REPEAT('x', ?)")) {
            for (int i = 0; i < SIZES.length && isShort(down); i++) {
                select.setInt(1, SIZES[i]);
                down.add(new FastestAnswer(SIZES[i], shortest(select, TIMES[i])));
                sent += (long) SIZES[i] * TIMES[i];
            }
        }
        try (PreparedStatement select = connection.prepareStatement("SELECT CAST(LENGTH(?) AS CHAR)")) {
            for (int i = 0; i < SIZES.length && isShort(up); i++) {
                select.setBytes(1, new byte[SIZES[i]]);
                up.add(new FastestAnswer(SIZES[i], shortest(select, Math.min(3, TIMES[i]))));
                sent += (long) SIZES[i] * Math.min(3, TIMES[i]);
            }
        }
        return new ServerLink(List.copyOf(down), bytesPerSecond(down), bytesPerSecond(up), sent);
    }

    private static boolean isShort(List<FastestAnswer> answers) {
        return answers.isEmpty() || answers.get(answers.size() - 1).nanos() < LONG_NANOS;
    }

    private static double shortest(PreparedStatement select, int times) throws SQLException {
        double shortest = Double.POSITIVE_INFINITY;
        for (int i = 0; i < times; i++) {
            long begin = System.nanoTime();
            try (ResultSet row = select.executeQuery()) {
                row.next();
                row.getBytes(1);
            }
            shortest = Math.min(shortest, System.nanoTime() - begin);
        }
        return shortest;
    }

    /** By the two largest sizes, in which the round trip cancels. */
    private static double bytesPerSecond(List<FastestAnswer> answers) {
        if (answers.size() < 2) {
            return answers.get(0).bytes() / answers.get(0).nanos() * 1e9;
        }
        FastestAnswer large = answers.get(answers.size() - 1);
        FastestAnswer small = answers.get(answers.size() - 2);
        return (large.bytes() - small.bytes()) / Math.max(1, large.nanos() - small.nanos()) * 1e9;
    }

    /** Nanoseconds from a request to an answer of a byte. */
    public double roundTripNanos() {
        return answers.get(0).nanos();
    }
}
