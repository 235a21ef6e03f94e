package dev.blobmark.lab.admission;

import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Failures of a statement that show the state of the server, after which no other trial can be measured on it. */
final class ServerFailure {

    /** ER_DISK_FULL, and ER_RECORD_FILE_FULL, which is InnoDB's. */
    private static final Set<Integer> FULL = Set.of(1021, 1114);

    /** ER_OPTION_PREVENTS_STATEMENT, which other options have too, ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION, ER_READ_ONLY_MODE. */
    private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836);

    private static final String READ_ONLY_SAID = "(?is).*read[-_ ]only.*";

    /** In messages: the system's ENOSPC, and HA_ERR_RECORD_FILE_FULL, by which MariaDB reports that a table could not be made. */
    private static final String NO_ROOM =
            "(?s).*([Ee]rrcode: 28\\b|error 28\\b|errno: 135\\b|No space left on device).*";

    private ServerFailure() {}

    /** What to throw for a statement that failed because there is no more room, if that is why. */
    static Optional<AdmissionException> full(Exception failure) {
        return Stream.<Throwable>iterate(failure, e -> e != null, Throwable::getCause)
                .filter(e -> e instanceof SQLException sql && FULL.contains(sql.getErrorCode())
                        || String.valueOf(e.getMessage()).matches(NO_ROOM))
                .findFirst()
                .map(e -> new AdmissionException(
                        "the server has no more room (" + e.getMessage()
                                + "); the run's tables are dropped. Make room on its disk, or load less with --methods and --set",
                        failure));
    }

    /** What to throw for a statement that failed because the server has become read-only, if that is why. */
    static Optional<AdmissionException> readOnly(String schema, Exception failure) {
        return Stream.<Throwable>iterate(failure, e -> e != null, Throwable::getCause)
                .filter(e -> e instanceof SQLException sql
                        && READ_ONLY.contains(sql.getErrorCode())
                        && String.valueOf(e.getMessage()).matches(READ_ONLY_SAID))
                .findFirst()
                .map(e -> new AdmissionException(
                        "the server is read-only now (" + e.getMessage() + "); what a run made in the schema " + schema
                                + " stays until it may be written again: then 'blobmark cleanup' or the next run removes it",
                        failure));
    }
}
