package dev.blobmark.lab.engine;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.machine.ProcessCpu;
import dev.blobmark.lab.server.RedisIdentity;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import redis.clients.jedis.Jedis;

/**
 * Keeps account of what a server does in a window, from outside: on a connection of its own, and on the thread that runs the trial.
 * What it asks the server is not within the time whose CPU is counted. What it cannot see is unknown, and does no harm.
 */
final class ServerWatch implements AutoCloseable {

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

    private final OptionalLong pid;
    private final Optional<Connection> connection;
    private final Optional<Jedis> jedis;
    private final SortedMap<String, String> unknown;
    private Map<String, Long> pagesBefore = Map.of();
    private Optional<ProcessCpu> cpuBefore = Optional.empty();
    private OptionalLong statementCpuBefore = OptionalLong.empty();

    private ServerWatch(
            OptionalLong pid,
            Optional<Connection> connection,
            Optional<Jedis> jedis,
            SortedMap<String, String> unknown) {
        this.pid = pid;
        this.connection = connection;
        this.jedis = jedis;
        this.unknown = unknown;
    }

    /** Watches nothing, for a reason. */
    static ServerWatch none(String reason) {
        return new ServerWatch(
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty(),
                ServerAccount.unknown(reason).unknown());
    }

    /**
     * Watches the server that a table is on.
     *
     * @param driver of the trial: another one would be a second of loading classes in each JVM
     */
    static ServerWatch of(ForkPlan.Place place, Driver driver) {
        SortedMap<String, String> unknown = new TreeMap<>();
        Optional<Connection> connection = Optional.empty();
        try {
            connection = Optional.of(driver.connectToAsk(place.endpoint()));
        } catch (SQLException e) {
            unknown.put(ServerAccount.PAGES_READ, "no connection to ask the server: " + e.getMessage());
        }
        return new ServerWatch(place.serverPid(), connection, Optional.empty(), unknown);
    }

    /** Watches a Redis, which has no pages; also one elsewhere tells the CPU time of its process. */
    static ServerWatch ofRedis(ForkPlan.Place place) {
        SortedMap<String, String> unknown = new TreeMap<>();
        unknown.put(ServerAccount.PAGES_READ, "Redis has no pages");
        return new ServerWatch(
                place.serverPid(), Optional.empty(), Optional.of(RedisIdentity.connect(place.endpoint())), unknown);
    }

    /** The window is about to begin. */
    void begin() {
        pagesBefore = pages();
        statementCpuBefore = statementCpu();
        cpuBefore = cpu();
    }

    /** The window is over. */
    ServerAccount end() {
        OptionalLong cpu = cpuSinceBegin();
        Map<String, Long> pages = pages();
        OptionalLong read = sinceBegin(pages, PAGES_READ);
        if (read.isEmpty() && pages.containsKey(PAGES_READ) && pagesBefore.containsKey(PAGES_READ)) {
            unknown.put(ServerAccount.PAGES_READ, "the server has begun to count anew");
        }
        return new ServerAccount(cpu, read, sinceBegin(pages, PAGES_FLUSHED), unknown);
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
        if (pid.isPresent()) {
            Optional<ProcessCpu> cpu = cpu();
            if (cpu.isPresent() && cpuBefore.isPresent()) {
                return OptionalLong.of(cpu.get().nanosSince(cpuBefore.get()));
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

    private Optional<ProcessCpu> cpu() {
        return pid.isPresent() ? ProcessCpu.of(pid.getAsLong()) : Optional.empty();
    }

    private OptionalLong statementCpu() {
        if (pid.isEmpty() && jedis.isPresent()) {
            Map<String, String> info = RedisIdentity.info(jedis.get());
            return OptionalLong.of(Math.round(
                    (Double.parseDouble(info.get("used_cpu_user")) + Double.parseDouble(info.get("used_cpu_sys")))
                            * 1e9));
        }
        if (pid.isPresent() || connection.isEmpty()) {
            return OptionalLong.empty();
        }
        try (Statement statement = connection.get().createStatement();
                ResultSet row = statement.executeQuery(STATEMENT_CPU)) {
            return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
        } catch (SQLException e) {
            return OptionalLong.empty(); // it has no such table, or does not show it to us
        }
    }

    /** How many pages InnoDB has read and written, by the name of the variable. */
    private Map<String, Long> pages() {
        Map<String, Long> pages = new HashMap<>();
        if (connection.isPresent()) {
            try (Statement statement = connection.get().createStatement();
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
        try {
            if (connection.isPresent()) {
                connection.get().close();
            }
        } catch (SQLException e) {
            // the server has ended it then; what it told has been had
        }
    }
}
