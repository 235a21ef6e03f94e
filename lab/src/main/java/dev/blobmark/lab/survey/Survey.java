package dev.blobmark.lab.survey;

import dev.blobmark.lab.run.Redaction;
import dev.blobmark.lab.run.RunException;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.admission.CriticalLoadException;
import dev.blobmark.mysql.admission.TableSession;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.admission.WatchLostException;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.directory.Scratch;
import dev.blobmark.mysql.table.DatasetException;
import dev.blobmark.mysql.table.SampleLimits;
import dev.blobmark.mysql.table.TableColumn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Reads a sample of each column of a server that may be worth compressing, one after another over a single connection,
 * and records what it finds. A column that cannot be read is recorded with the reason.
 */
public final class Survey {

    /** The most values of a column's sample. */
    public static final int MAX_VALUES = 400;

    /** The most bytes of a column's sample. */
    public static final int MAX_BYTES = 2 << 20;

    /** Of a longer value, only these first bytes are taken. The window of zlib is 32 KB, that of lz4 64 KB. */
    public static final int CUT_BYTES = 128 << 10;

    private final Servers.Source source;
    private final Path cache;
    private final ToleratedLoad load;
    private final String program;
    private final SurveyListener listener;
    private volatile boolean isInterrupted;

    /** Thrown on the survey's thread to end it. */
    private static final class SurveyStoppedException extends RuntimeException {}

    /**
     * @param load of the server with which reading continues
     * @param program version of Blobmark
     */
    public Survey(Servers.Source source, Path cache, ToleratedLoad load, String program, SurveyListener listener) {
        this.source = source;
        this.cache = cache;
        this.load = load;
        this.program = program;
        this.listener = listener;
    }

    /** Ends the survey soon, with a valid record of what was read. Any thread may call it. */
    public void interrupt() {
        isInterrupted = true;
    }

    private void check() {
        if (isInterrupted) {
            throw new SurveyStoppedException();
        }
    }

    /**
     * Begins a survey.
     *
     * @param directory called when the server has been reached and its columns are known
     * @throws IllegalArgumentException if a schema of the options does not exist
     */
    public SurveyEnding begin(SurveyOptions options, Supplier<SurveyDirectory> directory)
            throws SQLException, IOException, InterruptedException {
        return run(options, Optional.empty(), directory);
    }

    /**
     * Continues a survey: reads the columns that have no record.
     *
     * @param maxReadBytes of all values, with those that were read before
     * @throws RunException if it is of another server
     */
    public SurveyEnding resume(SurveyDirectory directory, long maxReadBytes)
            throws SQLException, IOException, InterruptedException {
        SurveyDirectory.SurveyContents before = directory.read();
        return run(before.header().options().withMaxRead(maxReadBytes), Optional.of(before), () -> directory);
    }

    private SurveyEnding run(
            SurveyOptions options, Optional<SurveyDirectory.SurveyContents> before, Supplier<SurveyDirectory> place)
            throws SQLException, IOException, InterruptedException {
        long begin = System.nanoTime();
        try (Server server = source.open(cache);
                TableSession session =
                        TableSession.open(server.endpoint(), load, this::check, listener::noticeIssued)) {
            String id = serverId(session.connection());
            Catalog catalog = Catalog.read(session, options);
            SurveyDirectory directory = place.get();
            try (SurveyDirectory.SurveyWriter writer = directory.writer()) {
                if (before.isPresent()) {
                    requireSame(before.get(), id, directory);
                } else {
                    writer.write(new SurveyDirectory.Header(
                            Instant.now(),
                            program,
                            product(session.connection()),
                            id,
                            options,
                            catalog.columns().size(),
                            catalog.leftOut()));
                }
                Set<String> read = before.map(SurveyDirectory.SurveyContents::columns).orElse(List.of()).stream()
                        .map(SurveyedColumn::name)
                        .collect(Collectors.toCollection(HashSet::new));
                List<FoundColumn> missing = catalog.columns().stream()
                        .filter(column -> !read.contains(column.dataset().name()))
                        .toList();
                listener.columnsFound(missing.size(), directory);
                SurveyEnding ending = read(
                        missing,
                        options,
                        before.map(SurveyDirectory.SurveyContents::readBytes).orElse(0L),
                        session,
                        writer);
                writer.write(new SurveyDirectory.SurveyEnd(ending, Instant.now(), (System.nanoTime() - begin) / 1e9));
                return ending;
            }
        } catch (SurveyStoppedException e) {
            return SurveyEnding.INTERRUPTED; // before a column was read
        }
    }

    private SurveyEnding read(
            List<FoundColumn> columns,
            SurveyOptions options,
            long readBefore,
            TableSession session,
            SurveyDirectory.SurveyWriter writer)
            throws SQLException, IOException, InterruptedException {
        long readBytes = readBefore;
        try (Scratch scratch = Scratch.make(cache)) {
            for (int i = 0; i < columns.size(); i++) {
                check();
                if (readBytes >= options.maxReadBytes()) {
                    return SurveyEnding.MAX_READ;
                }
                listener.columnStarted(columns.get(i), i + 1);
                SurveyedColumn surveyed =
                        read(columns.get(i), options, session, scratch.path().resolve("values"));
                readBytes += surveyed.readBytes();
                writer.write(surveyed);
                listener.columnRecorded(surveyed);
            }
            return SurveyEnding.COMPLETE;
        } catch (SurveyStoppedException e) {
            return SurveyEnding.INTERRUPTED;
        } catch (CriticalLoadException e) {
            listener.noticeIssued(e.getMessage());
            return SurveyEnding.CRITICAL_LOAD;
        } catch (WatchLostException e) {
            listener.noticeIssued(e.getMessage());
            return SurveyEnding.WATCH_LOST;
        }
    }

    private SurveyedColumn read(FoundColumn found, SurveyOptions options, TableSession session, Path file)
            throws SQLException, IOException, InterruptedException {
        SampleLimits most =
                new SampleLimits(MAX_VALUES, MAX_BYTES, options.statementMillis(), OptionalInt.of(CUT_BYTES));
        try {
            TableColumn.Sample sample = session.read(found.dataset(), seed(options.seed(), found), most, file);
            return surveyed(found, sample, Files.readAllBytes(file));
        } catch (DatasetException e) {
            return SurveyedColumn.notRead(found, disclosed(e.reason()));
        } catch (SQLException e) {
            if (Catalog.isConnectionLost(e)) {
                throw e;
            }
            return SurveyedColumn.notRead(found, "the server reported: " + disclosed(e.getMessage()));
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Without the number of the connection, with which the driver begins messages, and without addresses. */
    static String disclosed(String message) {
        return Redaction.OF_THIS_MACHINE.message(String.valueOf(message)
                .replaceAll("\\(conn=\\d+\\) ", "")
                .replaceAll("'[^']*'@'[^']*'", "the account"));
    }

    /** The positions in a table do not depend on which other columns are read, and when. */
    private static long seed(long seed, FoundColumn found) {
        return 31 * seed + found.dataset().name().hashCode();
    }

    private static SurveyedColumn surveyed(FoundColumn found, TableColumn.Sample sample, byte[] values) {
        long[] lengths = sample.rows().stream()
                .mapToLong(TableColumn.Row::length)
                .sorted()
                .toArray();
        long median = lengths[lengths.length / 2];
        Map<ValueKind, Integer> kinds = new EnumMap<>(ValueKind.class);
        int cut = 0;
        for (TableColumn.Row row : sample.rows()) {
            int from = (int) row.offset();
            byte[] begin = Arrays.copyOfRange(values, from, from + Math.min(row.bytes(), 1 << 10));
            kinds.merge(ValueKind.of(begin, found.isText()), 1, Integer::sum);
            cut += row.length() > row.bytes() ? 1 : 0;
        }
        boolean isWhole = !sample.whole().isEstimated();
        return new SurveyedColumn(
                found.schema(),
                found.table(),
                found.column(),
                found.type(),
                isWhole ? sample.whole().tableRows().orElse(found.tableRows()) : found.tableRows(),
                found.tableBytes(),
                found.compression(),
                Optional.empty(),
                Optional.of(new SurveyedColumn.ColumnSample(
                        isWhole,
                        sample.rows().size(),
                        median,
                        cut,
                        sample.ranges().stream()
                                .mapToLong(TableColumn.KeyRange::bytes)
                                .sum(),
                        sample.skipped(),
                        kinds,
                        SampleEncoding.encode(values, sample, median))));
    }

    private static String product(Connection connection) throws SQLException {
        String version = Sql.strings(connection, "SELECT VERSION()").get(0);
        return (version.contains("MariaDB") ? "MariaDB " : "MySQL ") + version;
    }

    /** Distinguishes servers without disclosing their addresses. */
    private static String serverId(Connection connection) throws SQLException {
        String place = Sql.strings(connection, "SELECT CONCAT_WS(' ', @@hostname, @@port, @@datadir)")
                .get(0);
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(place.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    private static void requireSame(SurveyDirectory.SurveyContents before, String id, SurveyDirectory directory) {
        if (!before.header().serverId().equals(id)) {
            throw new RunException(
                    directory.path().toString(),
                    "the survey is of another server than the one that --server names",
                    "name that server, or begin a new survey without --resume");
        }
    }
}
