package dev.blobmark.lab.store;

import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.client.UnavailableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long a server takes to read and to inflate a page of a table with compressed blocks. It scans the table
 * in parts, and reads the server's counters after each: of reads of the table's file, in picoseconds, from the
 * performance schema, and of inflating, from {@code information_schema.INNODB_CMP}.
 *
 * <p>The latter has whole seconds. So it is set to 0 first, and scanning ends with the part in which the first second
 * becomes full: at some page of this part, the server had inflated for exactly that time. The other pages of the part
 * are the error.
 *
 * <p>Only for a server of Blobmark's own, because it sets counters of all tables to 0.
 *
 * @param table must not fit into the buffer pool, so that each scan reads and inflates its pages again
 * @param blockBytes size of a block; the server's counters of inflating are of all tables with such blocks
 */
record PageTiming(Connection connection, String schema, String table, int blockBytes) {

    /** A part inflates for some milliseconds, hundredths of the second. */
    private static final int PARTS = 20;

    /** A second of inflating takes some seconds of scanning, with a quarter of a processor a minute. */
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(120);

    /** With fewer pages in a scan, a second of inflating takes minutes. */
    private static final int MIN_PAGES = 100;

    /** The largest buffer pool for which a copy of a table is filled. */
    private static final long MAX_POOL_BYTES = 64L << 20;

    /**
     * The counters after a part.
     *
     * @param reads of the table's file
     * @param readPicos time that these took
     * @param inflated pages
     * @param seconds that inflating them took, rounded down
     */
    record PageCounters(long reads, long readPicos, long inflated, long seconds) {}

    /** Whether the server measures its reads of files. */
    static boolean isMeasured(Connection connection) throws SQLException {
        return Sql.strings(connection, "SELECT @@performance_schema").equals(List.of("1"));
    }

    /** @throws UnavailableException if the server reads or inflates too few pages, with the reason */
    PageTimes measure() throws SQLException {
        // MariaDB does not measure files by default
        Sql.execute(
                connection,
                "UPDATE performance_schema.setup_instruments SET enabled = 'YES', timed = 'YES'"
                        + " WHERE name = 'wait/io/file/innodb/innodb_data_file'");
        Map<String, String> keys = Sql.row(connection, "SELECT MIN(id) AS low, MAX(id) AS high FROM " + quotedTable());
        long low = Long.parseLong(keys.get("low"));
        long partKeys = Math.max(1, (Long.parseLong(keys.get("high")) - low + PARTS) / PARTS);
        List<PageCounters> counters = new ArrayList<>();
        Sql.strings(connection, "SELECT page_size FROM information_schema.innodb_cmp_reset");
        counters.add(counters());
        long begin = System.nanoTime();
        try (PreparedStatement scan = connection.prepareStatement(
                "SELECT SUM(LENGTH(data)) FROM " + quotedTable() + " WHERE id BETWEEN ? AND ?")) {
            while (last(counters).seconds == 0 && System.nanoTime() - begin < LIMIT_NANOS) {
                long first = low + (counters.size() - 1) % PARTS * partKeys;
                scan.setLong(1, first);
                scan.setLong(2, first + partKeys - 1);
                try (ResultSet row = scan.executeQuery()) {
                    row.next();
                }
                counters.add(counters());
                requireInflating(counters);
            }
        }
        return of(counters);
    }

    private String quotedTable() {
        return new MySqlDialect(schema, false).quoted(table);
    }

    private PageCounters counters() throws SQLException {
        Map<String, String> inflating = Sql.row(
                connection,
                "SELECT uncompress_ops, uncompress_time FROM information_schema.innodb_cmp WHERE page_size = "
                        + blockBytes);
        String file = "/" + schema + "/" + table + ".ibd";
        Map<String, String> reading = Sql.row(
                connection,
                "SELECT count_read, sum_timer_read FROM performance_schema.file_summary_by_instance"
                        + " WHERE event_name = 'wait/io/file/innodb/innodb_data_file' AND RIGHT(file_name, ?) = ?",
                String.valueOf(file.length()),
                file);
        if (inflating.isEmpty() || reading.isEmpty()) {
            throw new UnavailableException("the server has no counters of "
                    + (inflating.isEmpty() ? "blocks of " + blockBytes + " bytes" : "reads of " + file));
        }
        return new PageCounters(
                Long.parseLong(reading.get("count_read")),
                Long.parseLong(reading.get("sum_timer_read")),
                Long.parseLong(inflating.get("uncompress_ops")),
                Long.parseLong(inflating.get("uncompress_time")));
    }

    /** The second scan inflates again all that does not stay in the buffer pool. */
    private static void requireInflating(List<PageCounters> counters) throws UnavailableException {
        if (counters.size() == 2 * PARTS + 1) {
            long first = counters.get(PARTS).inflated - counters.get(0).inflated;
            long second = last(counters).inflated - counters.get(PARTS).inflated;
            if (second < MIN_PAGES || 2 * second < first) {
                throw new UnavailableException("a second scan inflated only " + second + " pages, the first " + first
                        + ": the table stays in the buffer pool, or its values are outside of their rows; give it more and"
                        + " shorter rows, or the server a smaller pool");
            }
        }
    }

    /**
     * @param all from the reset on; in the last, the first seconds are full
     * @throws UnavailableException if there are too few pages, with the reason
     */
    static PageTimes of(List<PageCounters> all) throws UnavailableException {
        PageCounters first = all.get(0);
        PageCounters last = last(all);
        long reads = last.reads - first.reads;
        if (reads == 0) {
            throw new UnavailableException("the server read no page of the table's file");
        }
        if (last.seconds == 0) {
            throw new UnavailableException("the server inflated " + last.inflated + " pages in less than a second");
        }
        long before = all.get(all.size() - 2).inflated - first.inflated;
        long inflated = last.inflated - first.inflated;
        if (before == 0) {
            throw new UnavailableException("the server inflated all " + inflated + " pages in one part of the scan");
        }
        double nanos = 1e9 * (last.seconds - first.seconds);
        double shortest = nanos / inflated;
        double longest = nanos / before;
        return new PageTimes(
                reads,
                (last.readPicos - first.readPicos) / 1e3 / reads,
                standardError(all),
                inflated,
                (shortest + longest) / 2,
                (longest - shortest) / 2);
    }

    /** Of the mean time of a read, in nanoseconds, by the means of the parts, which read about equally many pages. */
    private static double standardError(List<PageCounters> all) {
        List<Double> means = new ArrayList<>();
        for (int i = 1; i < all.size(); i++) {
            long reads = all.get(i).reads - all.get(i - 1).reads;
            if (reads > 0) {
                means.add((all.get(i).readPicos - all.get(i - 1).readPicos) / 1e3 / reads);
            }
        }
        if (means.size() < 2) {
            return 0;
        }
        double mean = means.stream().mapToDouble(x -> x).average().orElseThrow();
        double squares =
                means.stream().mapToDouble(x -> (x - mean) * (x - mean)).sum();
        return Math.sqrt(squares / (means.size() - 1) / means.size());
    }

    private static PageCounters last(List<PageCounters> all) {
        return all.get(all.size() - 1);
    }

    /**
     * The times of a table's pages; empty if it has no compressed blocks, or the server does not measure its reads.
     *
     * @param copy an equal table, which does not exist. If the table fits into the buffer pool, its rows are repeated
     *     there
     * @throws UnavailableException with the reason, if they cannot be measured
     */
    static Optional<PageTimes> of(MySqlTable table, MySqlTable copy) throws SQLException {
        if (!table.layout.hasCompressedBlocks() || !isMeasured(table.connection)) {
            return Optional.empty();
        }
        int blockBytes = Integer.parseInt(table.layout.expected().get("zip_page_size"));
        long poolBytes = Long.parseLong(Sql.strings(table.connection, "SELECT @@innodb_buffer_pool_size")
                .get(0));
        if (poolBytes > MAX_POOL_BYTES) {
            throw new UnavailableException(
                    "the buffer pool has " + (poolBytes >> 20) + " MiB, so that filling it takes long;"
                            + " set server.innodb_buffer_pool_size to " + (MAX_POOL_BYTES >> 20) + "M or less");
        }
        if (fileBytes(table) >= 2 * poolBytes) {
            return Optional.of(new PageTiming(table.connection, table.schema, table.name, blockBytes).measure());
        }
        try {
            copy.createUnverified();
            fill(copy, table, 2 * poolBytes);
            return Optional.of(new PageTiming(copy.connection, copy.schema, copy.name, blockBytes).measure());
        } finally {
            copy.drop();
        }
    }

    private static long fileBytes(MySqlTable table) throws SQLException {
        return table.file().figure("file_size");
    }

    /** Repeats the rows of a table until the file of its copy has a number of bytes. */
    private static void fill(MySqlTable copy, MySqlTable table, long bytes) throws SQLException {
        String from = new MySqlDialect(table.schema, false).quoted(table.name);
        long rows = Long.parseLong(Sql.strings(table.connection, "SELECT COALESCE(MAX(id), -1) + 1 FROM " + from)
                .get(0));
        if (rows == 0) {
            throw new UnavailableException("the table has no rows");
        }
        for (long first = 0; fileBytes(copy) < bytes; first += rows) {
            Sql.execute(
                    copy.connection,
                    "INSERT INTO " + new MySqlDialect(copy.schema, false).quoted(copy.name) + " SELECT id + " + first
                            + ", data FROM " + from);
        }
    }
}
