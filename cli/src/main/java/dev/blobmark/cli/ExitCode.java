package dev.blobmark.cli;

/** The exit codes. {@link Main}'s help explains them. */
enum ExitCode {
    DONE(0),
    ERROR(1),
    USAGE(2),
    CANNOT_CONNECT(3),
    TRIAL_FAILED(4),
    RATE_NOT_REACHED(5),
    NOT_ALLOWED(6),
    CRITICAL_LOAD(7),
    WATCH_LOST(8),
    COPY_ENDED(9),
    BROUGHT_OVER(10),
    DIFFERENCES(11),
    UNDECIDED(98),
    LIMIT_EXCEEDED(99),
    /** 128 + SIGINT, as shells report it. */
    INTERRUPTED(130);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
