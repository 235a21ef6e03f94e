package dev.blobmark.lab.client;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Levels;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a thread comes by its connection. A level of the factor {@code connection}.
 *
 * @param isPooled whether it borrows one from a pool for each operation; else it keeps its own
 * @param size connections of the pool, 1 to {@value #MOST}; as many as there are threads if it is empty; each process of a trial has one
 */
public record ConnectionHandling(boolean isPooled, OptionalInt size) {

    static final int MOST = 10_000;

    private static final String THREAD_LOCAL = "thread-local";
    private static final Pattern POOL = Pattern.compile("hikari(?::([1-9]\\d{0,4}))?");

    public static final Factor<ConnectionHandling> FACTOR = new Factor<>(
            "connection",
            Factor.Home.METHOD,
            "how a thread comes by its connection: its own, or one of a pool for each operation; hikari:4 is a pool of 4",
            List.of(THREAD_LOCAL, "hikari", "hikari:4"),
            Optional.of(THREAD_LOCAL),
            ConnectionHandling::parse,
            ConnectionHandling::toString);

    private static ConnectionHandling parse(String level) {
        if (level.equals(THREAD_LOCAL)) {
            return new ConnectionHandling(false, OptionalInt.empty());
        }
        Matcher pool = POOL.matcher(level);
        if (!pool.matches() || pool.group(1) != null && Integer.parseInt(pool.group(1)) > MOST) {
            throw new IllegalArgumentException("unknown connection '" + level
                    + "'; write thread-local, hikari, or hikari:N for a pool of N connections, 1 to " + MOST);
        }
        return new ConnectionHandling(
                true, pool.group(1) == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(pool.group(1))));
    }

    /** What is wrong with a pool for what does not borrow for each operation. */
    public static Optional<String> notBorrowing(Levels levels) {
        String workload = levels.find("workload").orElse("");
        return FACTOR.of(levels).isPooled && !workload.equals("fetch")
                ? Optional.of(
                        "connection is " + FACTOR.of(levels) + ", but " + workload + " keeps its connection from one"
                                + " operation to the next; give it thread-local, or take the workload fetch")
                : Optional.empty();
    }

    @Override
    public String toString() {
        return !isPooled ? THREAD_LOCAL : size.isPresent() ? "hikari:" + size.getAsInt() : "hikari";
    }
}
