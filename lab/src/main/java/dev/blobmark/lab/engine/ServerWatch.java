package dev.blobmark.lab.engine;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.machine.ProcessCpu;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.redis.RedisIdentity;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;

/**
 * Keeps account of what a server does in a window, from outside: on a connection of its own, and on the thread that runs the trial.
 * What it asks the server is not within the time whose CPU is counted. What it cannot see is unknown, and does no harm.
 */
public final class ServerWatch implements AutoCloseable {

    /** With the pages of read-ahead, which {@code Innodb_buffer_pool_reads} leaves out. */
    private static final String PAGES_READ = "Innodb_pages_read";

    private static final String PAGES_FLUSHED = "Innodb_buffer_pool_pages_flushed";

    private static final String NOT_TOLD =
            "the server is no process that Blobmark started on this machine, and does not tell the CPU time of our"
                    + " statements: MySQL does with the consumer events_statements_cpu of the performance schema on";

    /**
     * What the statements of this account have taken, in nanoseconds; 0 where it is not counted. MariaDB refuses it; what it has instead,
     * CPU_TIME with userstat on, told 89 days after a second (11.4.5).
     */
    private static final String STATEMENT_CPU =
            "SELECT SUM(SUM_CPU_TIME) DIV 1000 FROM performance_schema.events_statements_summary_by_account_by_event_name"
                    + " WHERE USER = SUBSTRING_INDEX(USER(), '@', 1)";

    /** How an SQL node counts its waits for data nodes: for what it sent them, rows of scans, and answers about the schema. */
    private static final List<String> WAITS = List.of(
            "Ndb_api_wait_exec_complete_count", "Ndb_api_wait_scan_result_count", "Ndb_api_wait_meta_request_count");

    private final List<Long> pids;

    /** To each server that has the table; the first tells of pages. */
    private final List<Connection> connections;

    private final boolean isClustered;
    private final Optional<Jedis> jedis;
    private final SortedMap<String, String> unknown;
    private Map<String, Long> pagesBefore = Map.of();
    private OptionalLong waitsBefore = OptionalLong.empty();
    private List<ProcessCpu> cpuBefore = List.of();
    private OptionalLong statementCpuBefore = OptionalLong.empty();

    private ServerWatch(
            List<Long> pids,
            List<Connection> connections,
            boolean isClustered,
            Optional<Jedis> jedis,
            SortedMap<String, String> unknown) {
        this.pids = pids;
        this.connections = connections;
        this.isClustered = isClustered;
        this.jedis = jedis;
        this.unknown = unknown;
    }

    /** Watches nothing, for a reason. */
    public static ServerWatch none(String reason) {
        return new ServerWatch(
                List.of(),
                List.of(),
                false,
                Optional.empty(),
                ServerAccount.unknown(reason).unknown());
    }

    /**
     * Watches the server that a table is on.
     *
     * @param driver of the trial: another one would be a second of loading classes in each JVM
     * @param isClustered whether the table lies in the data nodes of a cluster
     */
    public static ServerWatch of(ForkPlan.Place place, Driver driver, boolean isClustered) {
        SortedMap<String, String> unknown = new TreeMap<>();
        List<Connection> connections = new ArrayList<>();
        try {
            for (Endpoint endpoint : place.endpoints()) {
                connections.add(driver.connectToAsk(endpoint));
            }
        } catch (SQLException e) {
            unknown.put(ServerAccount.PAGES_READ, "no connection to ask the server: " + e.getMessage());
        }
        return new ServerWatch(place.serverPids(), connections, isClustered, Optional.empty(), unknown);
    }

    /** Watches a Redis, which has no pages; also one elsewhere tells the CPU time of its process. */
    public static ServerWatch ofRedis(ForkPlan.Place place) {
        SortedMap<String, String> unknown = new TreeMap<>();
        unknown.put(ServerAccount.PAGES_READ, "Redis has no pages");
        return new ServerWatch(
                place.serverPids(), List.of(), false, Optional.of(RedisIdentity.connect(place.endpoint())), unknown);
    }

    /** The window is about to begin. */
    void begin() {
        begin(true);
    }

    /** @param asks whether the server is to be asked, beside what the system tells of its process */
    void begin(boolean asks) {
        if (asks) {
            pagesBefore = pages();
            waitsBefore = waits();
            statementCpuBefore = statementCpu();
        }
        cpuBefore = cpu();
    }

    /** The window is over. */
    ServerAccount end() {
        return end(true);
    }

    /** @param asked as its beginning was told */
    ServerAccount end(boolean asked) {
        if (!asked && pids.isEmpty()) {
            return ServerAccount.unknown("the server was not asked");
        }
        OptionalLong cpu = cpuSinceBegin();
        if (!asked) {
            return new ServerAccount(
                    cpu, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), new TreeMap<>());
        }
        OptionalLong waits = waits();
        Map<String, Long> pages = pages();
        OptionalLong read = sinceBegin(pages, PAGES_READ);
        if (read.isEmpty() && pages.containsKey(PAGES_READ) && pagesBefore.containsKey(PAGES_READ)) {
            unknown.put(ServerAccount.PAGES_READ, "the server has begun to count anew");
        }
        return new ServerAccount(
                cpu,
                read,
                sinceBegin(pages, PAGES_FLUSHED),
                waits.isPresent() && waitsBefore.isPresent() && waits.getAsLong() >= waitsBefore.getAsLong()
                        ? OptionalLong.of(waits.getAsLong() - waitsBefore.getAsLong())
                        : OptionalLong.empty(),
                new TreeMap<>(unknown));
    }

    /** Empty where it is not known, or was counted anew meanwhile. */
    private OptionalLong sinceBegin(Map<String, Long> now, String variable) {
        Long before = pagesBefore.get(variable);
        Long after = now.get(variable);
        return before == null || after == null || after < before
                ? OptionalLong.empty()
                : OptionalLong.of(after - before);
    }

    /** Of the server's process; where that is not here, of the statements of our account, as the server counts it. */
    private OptionalLong cpuSinceBegin() {
        if (!pids.isEmpty()) {
            List<ProcessCpu> cpu = cpu();
            if (cpu.size() == pids.size() && cpuBefore.size() == pids.size()) {
                return OptionalLong.of(IntStream.range(0, pids.size())
                        .mapToLong(i -> cpu.get(i).nanosSince(cpuBefore.get(i)))
                        .sum());
            }
            unknown.put(ServerAccount.CPU, "the system does not tell the CPU time of the server's process");
            return OptionalLong.empty();
        }
        OptionalLong cpu = statementCpu();
        if (cpu.isPresent() && statementCpuBefore.isPresent() && cpu.getAsLong() > statementCpuBefore.getAsLong()) {
            return OptionalLong.of(cpu.getAsLong() - statementCpuBefore.getAsLong());
        }
        unknown.putIfAbsent(ServerAccount.CPU, NOT_TOLD);
        return OptionalLong.empty();
    }

    /** Of all processes, or fewer where one is gone. */
    private List<ProcessCpu> cpu() {
        return pids.stream().flatMap(pid -> ProcessCpu.of(pid).stream()).toList();
    }

    /** How often the SQL nodes have waited for data nodes since they started. */
    private OptionalLong waits() {
        if (!isClustered) {
            return OptionalLong.empty();
        }
        long waits = 0;
        for (Connection connection : connections) {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SHOW GLOBAL STATUS WHERE Variable_name IN ('" + String.join("', '", WAITS) + "')")) {
                while (row.next()) {
                    waits += row.getLong(2);
                }
            } catch (SQLException e) {
                return OptionalLong.empty(); // it is gone, or does not tell
            }
        }
        return OptionalLong.of(waits);
    }

    private OptionalLong statementCpu() {
        if (pids.isEmpty() && jedis.isPresent()) {
            Map<String, String> info = RedisIdentity.info(jedis.get());
            return OptionalLong.of(Math.round(
                    (Double.parseDouble(info.get("used_cpu_user")) + Double.parseDouble(info.get("used_cpu_sys")))
                            * 1e9));
        }
        if (!pids.isEmpty() || connections.isEmpty() || isClustered) {
            return OptionalLong.empty(); // an SQL node does not know what its data nodes take
        }
        try (Statement statement = connections.get(0).createStatement();
                ResultSet row = statement.executeQuery(STATEMENT_CPU)) {
            return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
        } catch (SQLException e) {
            return OptionalLong.empty(); // it has no such table, or does not show it to us
        }
    }

    /** How many pages InnoDB has read and written, by the name of the variable. */
    private Map<String, Long> pages() {
        Map<String, Long> pages = new HashMap<>();
        if (!connections.isEmpty()) {
            try (Statement statement = connections.get(0).createStatement();
                    ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS WHERE Variable_name IN ('" + PAGES_READ
                            + "', '" + PAGES_FLUSHED + "')")) {
                while (row.next()) {
                    pages.put(row.getString(1), row.getLong(2));
                }
                if (!pages.containsKey(PAGES_READ)) {
                    unknown.put(ServerAccount.PAGES_READ, "the server has no status variable " + PAGES_READ);
                }
            } catch (SQLException e) {
                unknown.put(ServerAccount.PAGES_READ, "the server does not tell " + PAGES_READ + ": " + e.getMessage());
            }
        }
        return pages;
    }

    @Override
    public void close() {
        jedis.ifPresent(Jedis::close);
        for (Connection connection : connections) {
            try {
                connection.close();
            } catch (SQLException e) {
                // the server has ended it then; what it told has been had
            }
        }
    }
}
