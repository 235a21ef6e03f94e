package dev.blobmark.lab.store;

import dev.blobmark.lab.machine.Subprocess;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.ServerIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file of an InnoDB table, as the server and the operating system report it.
 *
 * @param connection of the caller
 * @param compressesPages whether holes are punched into it
 */
record TableFile(Connection connection, ServerIdentity server, String schema, String table, boolean compressesPages) {

    /** In a smaller file, the unknown free space within used extents is too large a share. */
    private static final long MIN_EXTENTS = 64;

    /** An extent of pages of up to 16 KB. */
    private static final int MIB = 1 << 20;

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int MAX_POLLS = 1_500;

    private static final Pattern DISK_USAGE = Pattern.compile("(\\d+)\\s.*", Pattern.DOTALL);

    static boolean isMariaDb(ServerIdentity server) {
        return server.product().equals("MariaDB");
    }

    /**
     * Makes the server write all changed pages of the table, waits until its allocated bytes, as the server's file
     * system reports them, no longer change, and returns them.
     *
     * @param blockBytes block size of a table with compressed blocks; otherwise 0
     * @param dataDirectory of the server, if its files can be read by this process; otherwise the server's figures are
     *     used
     */
    DiskSpace flushed(int blockBytes, Optional<Path> dataDirectory) throws SQLException {
        Tablespace file =
                Tablespace.of(dataDirectory.map(this::path).orElse(Path.of("")), Layout.pageBytes(server), blockBytes);
        Sql.execute(connection, "FLUSH TABLES " + quoted() + " FOR EXPORT");
        try {
            long bytes = settledBytes();
            return new DiskSpace(
                    OptionalLong.of(bytes),
                    dataDirectory.isPresent() ? usedBytes(file) : reportedUsedBytes(bytes, file.extentBytes()));
        } finally {
            Sql.execute(connection, "UNLOCK TABLES");
        }
    }

    private String quoted() {
        return new MySqlDialect(schema, false).quoted(table);
    }

    private Path path(Path dataDirectory) {
        return dataDirectory.resolve(schema).resolve(table + ".ibd");
    }

    private long settledBytes() throws SQLException {
        long bytes = figure("allocated_size");
        for (int i = 0; i < MAX_POLLS; i++) {
            LockSupport.parkNanos(POLL_NANOS);
            long before = bytes;
            bytes = figure("allocated_size");
            if (bytes == before) {
                return bytes;
            }
        }
        throw new SQLException("the file of " + schema + "." + table + " is still changing "
                + TimeUnit.NANOSECONDS.toSeconds(MAX_POLLS * POLL_NANOS)
                + " s after it was flushed; check the server's error log");
    }

    /** Empty if the file cannot be read, or has an unexpected format. */
    private OptionalLong usedBytes(Tablespace file) {
        try {
            return OptionalLong.of(file.usedBytes(compressesPages));
        } catch (IOException unreadable) {
            return OptionalLong.empty();
        }
    }

    /**
     * The allocated bytes without free extents, the finest figure that a server reports. It reserves two free extents
     * and one percent of all, which it does not report as free ({@code fsp_get_available_space_in_free_extents}). Empty
     * for a table with few extents, and for page compression, since servers differ in whether free pages are allocated.
     */
    private OptionalLong reportedUsedBytes(long allocatedBytes, int extentBytes) throws SQLException {
        if (compressesPages || allocatedBytes < MIN_EXTENTS * Math.max(MIB, extentBytes)) {
            return OptionalLong.empty();
        }
        if (!isMariaDb(server)) {
            // otherwise the figure may be a day old
            Sql.execute(connection, "SET SESSION information_schema_stats_expiry = 0");
        }
        Map<String, String> facts = Sql.row(
                connection,
                "SELECT data_free FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                schema,
                table);
        long free = Long.parseLong(facts.get("data_free"));
        return OptionalLong.of(
                allocatedBytes - free - (free == 0 ? 0 : (2 + allocatedBytes / extentBytes / 100) * extentBytes));
    }

    /** A figure of the tablespace, in bytes. */
    long figure(String column) throws SQLException {
        Map<String, String> facts = Sql.row(
                connection,
                "SELECT " + column + " FROM information_schema.innodb_" + (isMariaDb(server) ? "sys_" : "")
                        + "tablespaces WHERE name = ?",
                schema + "/" + table);
        if (facts.isEmpty()) {
            throw new SQLException(schema + "." + table + " has no file of its own; set innodb_file_per_table to ON");
        }
        return Long.parseLong(facts.get(column));
    }

    /**
     * How the operating system contradicts the server's report; empty if they agree.
     *
     * @param diskBytes allocated, as from {@link #flushed}
     * @param dataDirectory of the server, on this machine
     */
    Optional<String> contradiction(long diskBytes, Path dataDirectory) {
        Path file = path(dataDirectory);
        String output = diskUsage(file);
        Matcher blocks = DISK_USAGE.matcher(output);
        if (!blocks.matches()) {
            return Optional.of("the allocated bytes of " + file.getFileName() + " could not be checked: " + output);
        }
        long fileBytes = Long.parseLong(blocks.group(1)) << 10;
        return Math.abs(fileBytes - diskBytes) < 1 << 10
                ? Optional.empty()
                : Optional.of("the server says that " + diskBytes + " bytes are allocated for " + file.getFileName()
                        + ", the operating system " + fileBytes);
    }

    /** Java does not report allocated blocks. The POSIX command does, in units of 1024 bytes. */
    private static String diskUsage(Path file) {
        try {
            Process du = Subprocess.of("du", "-k", file.toString())
                    .redirectErrorStream(true)
                    .start();
            return new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return e.getMessage();
        }
    }
}
