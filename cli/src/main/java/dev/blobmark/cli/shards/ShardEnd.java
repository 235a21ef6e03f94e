package dev.blobmark.cli.shards;

/**
 * How the work on a server ended.
 *
 * @param code exit code of its process
 * @param reason what it printed at last if it failed
 */
public record ShardEnd(int code, String reason) {

    static final int DONE = 0;
    static final int ERROR = 1;

    /** 128 + SIGINT, as shells report it. */
    static final int INTERRUPTED = 130;

    public boolean isDone() {
        return code == DONE;
    }
}
