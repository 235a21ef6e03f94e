package dev.blobmark.lab.survey;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.blobmark.lab.run.PrivateFiles;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunException;
import dev.blobmark.lab.run.RunJson;
import dev.blobmark.lab.run.WriteLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;

/**
 * The directory of a survey: {@code survey.jsonl} has a line for the survey, one for each column and one for each time
 * it ended. A line is on disk when its method returns. The file has names of schemas, tables and columns, and no
 * values.
 */
public final class SurveyDirectory {

    private static final String FILE = "survey.jsonl";
    private static final int FORMAT = 1;

    private final Path path;

    /** A new directory, which is claimed for its writer. */
    private final Optional<RunDirectory> made;

    /** The first line. */
    public record Header(
            int format,
            Instant startedAt,
            String blobmark,
            String server,
            String serverId,
            SurveyOptions options,
            int columns,
            List<LeftOut> leftOut) {

        public Header {
            leftOut = List.copyOf(leftOut);
        }

        Header(
                Instant startedAt,
                String blobmark,
                String server,
                String serverId,
                SurveyOptions options,
                int columns,
                List<LeftOut> leftOut) {
            this(FORMAT, startedAt, blobmark, server, serverId, options, columns, leftOut);
        }
    }

    /** How and when a survey ended, and how long it took. */
    public record SurveyEnd(SurveyEnding ending, Instant at, double seconds) {}

    /** One line; all but one of its parts are empty. */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    private record SurveyLine(Optional<Header> survey, Optional<SurveyedColumn> column, Optional<SurveyEnd> end) {}

    /**
     * All complete lines.
     *
     * @param ends empty while the survey is running, or if it was killed
     */
    public record SurveyContents(Header header, List<SurveyedColumn> columns, List<SurveyEnd> ends) {

        public SurveyContents {
            columns = List.copyOf(columns);
            ends = List.copyOf(ends);
        }

        /** Bytes of values that the server has read. */
        public long readBytes() {
            return columns.stream().mapToLong(SurveyedColumn::readBytes).sum();
        }
    }

    private SurveyDirectory(Path path, Optional<RunDirectory> made) {
        this.path = path;
        this.made = made;
    }

    private static SurveyDirectory in(RunDirectory made) {
        return new SurveyDirectory(made.path(), Optional.of(made));
    }

    /** Whether a directory is that of a survey. */
    public static boolean isSurvey(Path path) {
        return Files.isRegularFile(path.resolve(FILE), LinkOption.NOFOLLOW_LINKS);
    }

    /** Creates {@code 2026-11-21T10-15-00-survey} below a directory. */
    public static SurveyDirectory create(Path parent, Instant startedAt) {
        return in(RunDirectory.create(parent, startedAt, "survey"));
    }

    /** Creates a directory with this path; an existing one must be empty. */
    public static SurveyDirectory createAt(Path path) {
        return in(RunDirectory.createAt(path));
    }

    /** @throws RunException if it is not the directory of a survey */
    public static SurveyDirectory open(Path path) {
        if (!isSurvey(path)) {
            throw new RunException(
                    path.toString(),
                    Files.isDirectory(path) ? "it has no " + FILE : "there is no such directory",
                    "name the directory of a survey, such as runs/2026-11-21T10-15-00-survey");
        }
        return new SurveyDirectory(path, Optional.empty());
    }

    public Path path() {
        return path;
    }

    /**
     * Reads the survey. An incomplete last line, which a killed process may leave, is ignored.
     *
     * @throws RunException if a line is damaged; it names the line's number
     */
    public SurveyContents read() {
        Path file = path.resolve(FILE);
        List<SurveyedColumn> columns = new ArrayList<>();
        List<SurveyEnd> ends = new ArrayList<>();
        Optional<Header> header = Optional.empty();
        byte[] bytes = bytes(file);
        String text = new String(bytes, 0, completeLength(bytes), StandardCharsets.UTF_8);
        int number = 0;
        for (String json : text.lines().toList()) {
            number++;
            try {
                SurveyLine line = RunJson.MAPPER.readValue(json, SurveyLine.class);
                header = header.or(line::survey);
                line.column.ifPresent(columns::add);
                line.end.ifPresent(ends::add);
            } catch (JacksonException | IllegalArgumentException | NullPointerException e) {
                throw new RunException(
                        file + ":" + number,
                        "the line is not a valid record: "
                                + (e instanceof JacksonException j ? j.getOriginalMessage() : e.getMessage()),
                        "restore the file from a copy, or delete the line",
                        e);
            }
        }
        Header first = header.orElseThrow(() -> new RunException(
                file.toString(), "its first line is missing", "restore the file from a copy, or begin a new survey"));
        if (first.format != FORMAT) {
            throw new RunException(
                    file.toString(),
                    "the file has format " + first.format + ", and this version reads format " + FORMAT,
                    "read it with the version of Blobmark that wrote it, " + first.blobmark);
        }
        return new SurveyContents(first, columns, ends);
    }

    private static byte[] bytes(Path file) {
        try {
            return PrivateFiles.read(file);
        } catch (IOException e) {
            throw new RunException(file.toString(), "cannot be read (" + e + ")", "check its permissions", e);
        }
    }

    private static int completeLength(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        return end;
    }

    /** Opens the directory for writing. Only one process can have a writer at a time. */
    SurveyWriter writer() {
        return new SurveyWriter();
    }

    /** Appends lines. */
    final class SurveyWriter implements AutoCloseable {

        private final WriteLock lock;
        private final FileChannel out;

        private SurveyWriter() {
            lock = made.flatMap(RunDirectory::takeClaim).orElseGet(() -> WriteLock.take(path, "survey"));
            try {
                Path file = path.resolve(FILE);
                out = PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                long complete = out.size() == 0 ? 0 : completeLength(bytes(file));
                out.truncate(complete).position(complete);
            } catch (IOException e) {
                throw unwritable(e);
            }
        }

        void write(Header header) {
            write(new SurveyLine(Optional.of(header), Optional.empty(), Optional.empty()));
        }

        void write(SurveyedColumn column) {
            write(new SurveyLine(Optional.empty(), Optional.of(column), Optional.empty()));
        }

        void write(SurveyEnd end) {
            write(new SurveyLine(Optional.empty(), Optional.empty(), Optional.of(end)));
        }

        private void write(SurveyLine line) {
            ByteBuffer bytes =
                    ByteBuffer.wrap((RunJson.MAPPER.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8));
            try {
                while (bytes.hasRemaining()) {
                    out.write(bytes);
                }
                out.force(false);
            } catch (IOException e) {
                throw unwritable(e);
            }
        }

        @Override
        public void close() {
            try {
                out.close();
                lock.close();
            } catch (IOException e) {
                throw unwritable(e);
            }
        }
    }

    private RunException unwritable(IOException e) {
        return new RunException(
                path.toString(),
                "cannot be written (" + e + ")",
                "check its permissions and the free space, or name another directory with --out",
                e);
    }
}
