package dev.blobmark.bench.guest;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Locale;

/** A step of Blobmark's work on a server, as seen from outside. */
public enum Step {
    /** It is connected, and has not created its marker. */
    PREFLIGHT {
        @Override
        boolean isNow(Sql source, BlobmarkProcess blobmark, long samples) throws SQLException {
            return source.isAny(GUEST) && !source.isAny(MARKER);
        }
    },
    /** It has created a table, and has no sample. */
    LOAD {
        @Override
        boolean isNow(Sql source, BlobmarkProcess blobmark, long samples) throws SQLException, IOException {
            return source.isAny(TABLE) && blobmark.samples() == 0;
        }
    },
    /** It has some samples, but not all. */
    MEASURE {
        @Override
        boolean isNow(Sql source, BlobmarkProcess blobmark, long samples) throws SQLException, IOException {
            long now = blobmark.samples();
            return now > 0 && now < samples;
        }
    },
    /** It has all samples, and its marker still exists. */
    CLEANUP {
        @Override
        boolean isNow(Sql source, BlobmarkProcess blobmark, long samples) throws SQLException, IOException {
            return blobmark.samples() >= samples && source.isAny(MARKER);
        }
    },
    /** The command {@code cleanup} is connected, and the marker still exists. */
    COMMAND {
        @Override
        boolean isNow(Sql source, BlobmarkProcess blobmark, long samples) throws SQLException {
            return source.isAny(GUEST) && source.isAny(MARKER);
        }
    };

    private static final String GUEST = "SELECT id FROM information_schema.processlist WHERE user = 'guest'";
    private static final String TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = '"
            + Pair.SCHEMA + "' AND table_name ";
    private static final String MARKER = TABLES + "= 'blobmark_marker'";
    private static final String TABLE = TABLES + "LIKE 't__\\_%'";

    /** @param samples number of samples of the complete run */
    abstract boolean isNow(Sql source, BlobmarkProcess blobmark, long samples) throws SQLException, IOException;

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Waits for the step, and suspends Blobmark's JVM with SIGSTOP, so that the fault happens within the step.
     *
     * @return false if the step was over or the process had ended before; a live process then continues
     */
    boolean suspend(Sql source, BlobmarkProcess blobmark, long samples)
            throws SQLException, IOException, InterruptedException {
        while (blobmark.isAlive()) {
            if (isNow(source, blobmark, samples)) {
                blobmark.suspend();
                if (isNow(source, blobmark, samples)) {
                    return true;
                }
                blobmark.resume();
                return false;
            }
            Thread.sleep(1);
        }
        return false;
    }
}
