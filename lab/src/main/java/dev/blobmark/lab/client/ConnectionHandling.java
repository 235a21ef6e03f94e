package dev.blobmark.lab.client;

import dev.blobmark.lab.study.Factor;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How an operation gets its connection. A level of the factor {@code connection}.
 *
 * @param size connections of a pool, 1 to {@value #MAX_CONNECTIONS}; one per thread if empty. Each process of a trial
 *     has its own pool.
 */
public record ConnectionHandling(Way way, OptionalInt size) {

    /** Where a connection comes from. */
    enum Way {
        /** Each thread keeps its own connection. It is not checked before use, and the number is not limited. */
        THREAD_LOCAL,
        /** Borrowed from a pool. */
        POOL,
        /** Opened for the operation, and closed after it. */
        PER_OPERATION
    }

    static final int MAX_CONNECTIONS = 10_000;

    private static final String THREAD_LOCAL = "thread-local";
    private static final String PER_OPERATION = "per-operation";
    private static final Pattern POOL = Pattern.compile("hikari(?::([1-9]\\d{0,4}))?");

    public static final Factor<ConnectionHandling> FACTOR = new Factor<>(
                    "connection",
                    Factor.Home.METHOD,
                    Set.of(Factor.Shape.CODE_PATH),
                    Set.of(Factor.Use.SQL, Factor.Use.BLOCKING),
                    "how an operation gets its connection: its thread's own, from a pool (hikari:4: of 4), or opened for it",
                    List.of(THREAD_LOCAL, "hikari", "hikari:4", PER_OPERATION),
                    Optional.of(THREAD_LOCAL),
                    ConnectionHandling::parse,
                    ConnectionHandling::toString)
            .withForm(THREAD_LOCAL + "|" + PER_OPERATION + "|hikari(:[0-9]+)?");

    private static ConnectionHandling parse(String level) {
        if (level.equals(THREAD_LOCAL)) {
            return new ConnectionHandling(Way.THREAD_LOCAL, OptionalInt.empty());
        }
        if (level.equals(PER_OPERATION)) {
            return new ConnectionHandling(Way.PER_OPERATION, OptionalInt.empty());
        }
        Matcher pool = POOL.matcher(level);
        if (!pool.matches() || pool.group(1) != null && Integer.parseInt(pool.group(1)) > MAX_CONNECTIONS) {
            throw new IllegalArgumentException("unknown connection '" + level
                    + "'; write thread-local, per-operation, hikari, or hikari:N for a pool of N connections, 1 to "
                    + MAX_CONNECTIONS);
        }
        return new ConnectionHandling(
                Way.POOL,
                pool.group(1) == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(pool.group(1))));
    }

    /** Whether a thread keeps its connection from one operation to the next. */
    public boolean isKept() {
        return way == Way.THREAD_LOCAL;
    }

    /** Whether operations borrow connections from a pool. */
    public boolean isPooled() {
        return way == Way.POOL;
    }

    /**
     * The most connections that a process has open at once. With a connection per operation, each worker closes one
     * before it opens the next.
     */
    public int connections(int workers) {
        return way == Way.POOL ? size.orElse(workers) : workers;
    }

    @Override
    public String toString() {
        return switch (way) {
            case THREAD_LOCAL -> THREAD_LOCAL;
            case PER_OPERATION -> PER_OPERATION;
            case POOL -> size.isPresent() ? "hikari:" + size.getAsInt() : "hikari";
        };
    }
}
