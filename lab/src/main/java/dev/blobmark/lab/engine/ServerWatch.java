package dev.blobmark.lab.engine;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.machine.ProcessCpu;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Keeps account of what a server does in a window, from outside: on a connection of its own, and on the thread that runs the trial.
 * What it asks the server is not within the time whose CPU is counted. What it cannot see is unknown, and does no harm.
 */
final class ServerWatch implements AutoCloseable {

    /** With the pages of read-ahead, which {@code Innodb_buffer_pool_reads} leaves out. */
    private static final String PAGES_READ = "Innodb_pages_read";

    private final OptionalLong pid;
    private final Optional<Connection> connection;
    private final SortedMap<String, String> unknown;
    private OptionalLong pagesBefore = OptionalLong.empty();
    private Optional<ProcessCpu> cpuBefore = Optional.empty();

    private ServerWatch(OptionalLong pid, Optional<Connection> connection, SortedMap<String, String> unknown) {
        this.pid = pid;
        this.connection = connection;
        this.unknown = unknown;
    }

    /** Watches nothing, for a reason. */
    static ServerWatch none(String reason) {
        return new ServerWatch(
                OptionalLong.empty(),
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
        if (place.serverPid().isEmpty()) {
            unknown.put(ServerAccount.CPU, "the server is no process that Blobmark started on this machine");
        }
        Optional<Connection> connection = Optional.empty();
        try {
            connection = Optional.of(driver.connectToAsk(place.endpoint()));
        } catch (SQLException e) {
            unknown.put(ServerAccount.PAGES_READ, "no connection to ask the server: " + e.getMessage());
        }
        return new ServerWatch(place.serverPid(), connection, unknown);
    }

    /** The window is about to begin. */
    void begin() {
        pagesBefore = pagesRead();
        cpuBefore = cpu();
    }

    /** The window is over. */
    ServerAccount end() {
        Optional<ProcessCpu> cpu = cpu();
        OptionalLong pages = pagesRead();
        boolean isReset = pages.isPresent() && pages.getAsLong() < pagesBefore.orElse(0);
        if (isReset) {
            unknown.put(ServerAccount.PAGES_READ, "the server has begun to count anew");
        }
        return new ServerAccount(
                cpu.isPresent() && cpuBefore.isPresent()
                        ? OptionalLong.of(cpu.get().nanosSince(cpuBefore.get()))
                        : OptionalLong.empty(),
                pages.isPresent() && pagesBefore.isPresent() && !isReset
                        ? OptionalLong.of(pages.getAsLong() - pagesBefore.getAsLong())
                        : OptionalLong.empty(),
                unknown);
    }

    private Optional<ProcessCpu> cpu() {
        Optional<ProcessCpu> cpu = pid.isPresent() ? ProcessCpu.of(pid.getAsLong()) : Optional.empty();
        if (cpu.isEmpty()) {
            unknown.putIfAbsent(ServerAccount.CPU, "the system does not tell the CPU time of the server's process");
        }
        return cpu;
    }

    private OptionalLong pagesRead() {
        if (connection.isPresent()) {
            try (Statement statement = connection.get().createStatement();
                    ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE '" + PAGES_READ + "'")) {
                if (row.next()) {
                    return OptionalLong.of(row.getLong(2));
                }
                unknown.put(ServerAccount.PAGES_READ, "the server has no status variable " + PAGES_READ);
            } catch (SQLException e) {
                unknown.put(ServerAccount.PAGES_READ, "the server does not tell " + PAGES_READ + ": " + e.getMessage());
            }
        }
        return OptionalLong.empty();
    }

    @Override
    public void close() {
        try {
            if (connection.isPresent()) {
                connection.get().close();
            }
        } catch (SQLException e) {
            // the server has ended it then; what it told has been had
        }
    }
}
