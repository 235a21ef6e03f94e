package dev.blobmark.lab.store;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads figures of MySQL, MariaDB or the SQL nodes of a cluster, over one connection to each server that has the table.
 */
public final class MySqlProbe implements ServerProbe {

    /** Includes pages of read-ahead, unlike {@code Innodb_buffer_pool_reads}. */
    private static final String PAGES_READ = "Innodb_pages_read";

    private static final String PAGES_FLUSHED = "Innodb_buffer_pool_pages_flushed";

    /** Of all clients, including those that execute prepared statements. */
    private static final String STATEMENTS = "Questions";

    /**
     * CPU time of this account's statements in nanoseconds; 0 if it is not counted. MariaDB does not have it. Its
     * CPU_TIME with userstat on showed 89 days after one second (11.4.5).
     */
    private static final String STATEMENT_CPU =
            "SELECT SUM(SUM_CPU_TIME) DIV 1000 FROM performance_schema.events_statements_summary_by_account_by_event_name"
                    + " WHERE USER = SUBSTRING_INDEX(USER(), '@', 1)";

    /** An SQL node's counters of waits for data nodes: for executions, rows of scans, and answers about the schema. */
    private static final List<String> WAITS = List.of(
            "Ndb_api_wait_exec_complete_count", "Ndb_api_wait_scan_result_count", "Ndb_api_wait_meta_request_count");

    private final boolean isClustered;

    /** Pages are read from the first. */
    private final List<Connection> connections = new ArrayList<>();

    private String unreachable = "";

    /**
     * @param driver of the trial; loading the classes of another one would take a second in each JVM
     * @param isClustered whether the table is in the data nodes of a cluster
     */
    public record MySqlProbeSource(Driver driver, boolean isClustered) implements ServerProbe.ProbeSource {
        @Override
        public ServerProbe open(List<Endpoint> endpoints) {
            return new MySqlProbe(driver, isClustered, endpoints);
        }
    }

    private MySqlProbe(Driver driver, boolean isClustered, List<Endpoint> endpoints) {
        this.isClustered = isClustered;
        try {
            for (Endpoint endpoint : endpoints) {
                connections.add(driver.jdbc().connectToAsk(endpoint));
            }
        } catch (SQLException e) {
            unreachable = "no connection for reading the server's status: " + e.getMessage();
        }
    }

    private static Map<String, String> status(Connection connection, List<String> variables) throws SQLException {
        return Sql.pairs(
                connection, "SHOW GLOBAL STATUS WHERE Variable_name IN ('" + String.join("', '", variables) + "')");
    }

    @Override
    public ProbedCounts counts() {
        if (connections.isEmpty()) {
            return ProbedCounts.unknown(unreachable);
        }
        try {
            Map<String, String> counts = status(connections.get(0), List.of(PAGES_READ, PAGES_FLUSHED, STATEMENTS));
            Optional<String> unknown = counts.containsKey(PAGES_READ)
                    ? Optional.empty()
                    : Optional.of("the server has no status variable " + PAGES_READ);
            return new ProbedCounts(
                    count(counts, PAGES_READ),
                    count(counts, PAGES_FLUSHED),
                    connections.size() == 1 ? count(counts, STATEMENTS) : OptionalLong.empty(),
                    unreachable.isEmpty() ? unknown : Optional.of(unreachable));
        } catch (SQLException e) {
            return ProbedCounts.unknown("the server does not report " + PAGES_READ + ": " + e.getMessage());
        }
    }

    private static OptionalLong count(Map<String, String> status, String variable) {
        String count = status.get(variable);
        return count == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(count));
    }

    @Override
    public OptionalLong waits() {
        if (!isClustered) {
            return OptionalLong.empty();
        }
        long waits = 0;
        for (Connection connection : connections) {
            try {
                for (String count : status(connection, WAITS).values()) {
                    waits += Long.parseLong(count);
                }
            } catch (SQLException e) {
                return OptionalLong.empty(); // the connection is lost, or the server does not report it
            }
        }
        return OptionalLong.of(waits);
    }

    /** Empty in a cluster, because an SQL node does not know the CPU time of data nodes. */
    @Override
    public OptionalLong cpuNanos() {
        if (connections.isEmpty() || isClustered) {
            return OptionalLong.empty();
        }
        try {
            String nanos = Sql.strings(connections.get(0), STATEMENT_CPU).get(0);
            return OptionalLong.of(nanos == null ? 0 : Long.parseLong(nanos));
        } catch (SQLException e) {
            return OptionalLong.empty(); // the server does not have this table, or refuses access to it
        }
    }

    @Override
    public void close() {
        for (Connection connection : connections) {
            try {
                connection.close();
            } catch (SQLException e) {
                // the server has closed it; all figures have been read
            }
        }
    }
}
