package dev.blobmark.mysql.admission;

/** The load of a server exceeded the user's critical load before there was a measurement to keep. */
public final class CriticalLoadException extends RuntimeException {

    CriticalLoadException(String excess) {
        super("ended by --critical-load: " + excess);
    }
}
