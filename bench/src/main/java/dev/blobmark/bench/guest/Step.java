package dev.blobmark.bench.guest;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Locale;

/** A moment of Blobmark's stay on a server, as it is seen from outside. */
public enum Step {
    /** It is connected, and has not marked its schema yet. */
    PREFLIGHT {
        @Override
        boolean isNow(Sql source, BlobmarkProcess blobmark, long samples) throws SQLException {
            return source.isAny(GUEST) && !source.isAny(MARKER);
        }
    },
    /** It has made a table, and measured nothing yet. */
    LOAD {
        @Override
        boolean isNow(Sql source, BlobmarkProcess blobmark, long samples) throws SQLException, IOException {
            return source.isAny(TABLE) && blobmark.samples() == 0;
        }
    },
    /** It has a sample, and others are to come. */
    MEASURE {
        @Override
        boolean isNow(Sql source, BlobmarkProcess blobmark, long samples) throws SQLException, IOException {
            long now = blobmark.samples();
            return now > 0 && now < samples;
        }
    },
    /** It has all its samples, and its marker is there still. */
    CLEANUP {
        @Override
        boolean isNow(Sql source, BlobmarkProcess blobmark, long samples) throws SQLException, IOException {
            return blobmark.samples() >= samples && source.isAny(MARKER);
        }
    },
    /** The command {@code cleanup} is connected, and what it is to remove is there. */
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

    /** @param samples that the run is going to have */
    abstract boolean isNow(Sql source, BlobmarkProcess blobmark, long samples) throws SQLException, IOException;

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Waits for the step, and holds Blobmark's JVM in it by SIGSTOP: so the fault falls into the step however short that is.
     *
     * @return false if the step was over, or the process ended, before it could be held; it then goes on
     */
    boolean hold(Sql source, BlobmarkProcess blobmark, long samples)
            throws SQLException, IOException, InterruptedException {
        while (blobmark.isAlive()) {
            if (isNow(source, blobmark, samples)) {
                blobmark.hold();
                if (isNow(source, blobmark, samples)) {
                    return true;
                }
                blobmark.release();
                return false;
            }
            Thread.sleep(1);
        }
        return false;
    }
}
