package dev.blobmark.mysql.admission;

import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Failed statements that show that nothing more can be written to the server. */
public final class ServerFailure {

    /** ER_DISK_FULL, and ER_RECORD_FILE_FULL of InnoDB. */
    private static final Set<Integer> FULL = Set.of(1021, 1114);

    /**
     * ER_OPTION_PREVENTS_STATEMENT, ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION, ER_READ_ONLY_MODE. The first is also
     * reported for other options; therefore the message is checked too.
     */
    private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836);

    private static final String READ_ONLY_MESSAGE = "(?is).*read[-_ ]only.*";

    /** Messages with ENOSPC, or with HA_ERR_RECORD_FILE_FULL, which MariaDB reports if a table cannot be created. */
    private static final String FULL_MESSAGE =
            "(?s).*([Ee]rrcode: 28\\b|error 28\\b|errno: 135\\b|No space left on device).*";

    private ServerFailure() {}

    /**
     * Why nothing can be written: no space, a server that is read-only, a missing privilege. Empty for other failures.
     */
    public static Optional<String> reason(Exception failure) {
        return find(failure, ServerFailure::isFull)
                .map(e -> "the server has no space left (" + e.getMessage() + ")")
                .or(() -> find(failure, ServerFailure::isReadOnly)
                        .map(e -> "the server is read-only now (" + e.getMessage() + ")"))
                .or(() -> find(failure, e -> e instanceof SQLException sql && Privileges.isDenial(sql))
                        .map(e -> "the account lacks a privilege (" + e.getMessage() + ")"));
    }

    private static Optional<Throwable> find(Exception failure, Predicate<Throwable> kind) {
        return Stream.<Throwable>iterate(failure, e -> e != null, Throwable::getCause)
                .filter(kind)
                .findFirst();
    }

    private static boolean isFull(Throwable e) {
        return e instanceof SQLException sql && FULL.contains(sql.getErrorCode())
                || String.valueOf(e.getMessage()).matches(FULL_MESSAGE);
    }

    private static boolean isReadOnly(Throwable e) {
        return e instanceof SQLException sql
                && READ_ONLY.contains(sql.getErrorCode())
                && String.valueOf(e.getMessage()).matches(READ_ONLY_MESSAGE);
    }

    /** The error for a statement that failed because the disk is full, if that is the reason. */
    public static Optional<AdmissionException> full(Exception failure) {
        return find(failure, ServerFailure::isFull)
                .map(e -> new AdmissionException(
                        "the server has no space left (" + e.getMessage()
                                + "); the run's tables are dropped. Free some space on its disk, or load less with"
                                + " --methods and --set",
                        failure));
    }

    /** The error for a statement that failed because the server has become read-only, if that is the reason. */
    public static Optional<AdmissionException> readOnly(String schema, Exception failure) {
        return find(failure, ServerFailure::isReadOnly)
                .map(e -> new AdmissionException(
                        "the server is read-only now (" + e.getMessage() + "); the run's tables in the schema " + schema
                                + " remain. When it is writable again, 'blobmark cleanup' or the next run removes them",
                        failure));
    }
}
