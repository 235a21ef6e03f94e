package dev.blobmark.lab.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.JsonNode;

/**
 * The directory of a run: {@code manifest.json}, {@code samples.jsonl} and {@code latency/}. It is all that running and
 * reporting have in common.
 *
 * <p>Reading needs no lock. Any number of threads and processes may read a directory while another process writes it,
 * and they see only what is complete. A new directory is claimed for writing when it is created, an existing run by
 * {@link #claim}: whoever else wants to write it learns that at once.
 */
public final class RunDirectory {

    private static final DateTimeFormatter NAME_TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss").withZone(ZoneOffset.UTC);

    private final Path path;

    /** Held from {@link #claim} until the writer takes it over. */
    private final AtomicReference<WriteLock> claimed = new AtomicReference<>();

    /** Whether the run is new, and not one that was opened. */
    private final boolean isNew;

    /** Whether this object has created the directory. */
    private final boolean isCreated;

    /** Applied to what is read. */
    private final Optional<Redaction> redaction;

    /** Ids of trials in the files, by their redacted ids. */
    private final Map<String, String> idInFile = new ConcurrentHashMap<>();

    private RunDirectory(Path path, boolean isNew, boolean isCreated, Optional<Redaction> redaction) {
        this.path = path;
        this.isNew = isNew;
        this.isCreated = isCreated;
        this.redaction = redaction;
    }

    /** The same run without the names of the user's datasets, tables and directories, and without addresses. */
    public RunDirectory redacted() {
        return new RunDirectory(
                path,
                false,
                false,
                Optional.of(Redaction.OF_THIS_MACHINE.withNames(manifest().study(), "", "")));
    }

    private static RunDirectory claimed(Path path, boolean isCreated) {
        RunDirectory directory = new RunDirectory(path, true, isCreated, Optional.empty());
        directory.claim();
        return directory;
    }

    /**
     * Creates a directory named after the time (UTC) and the study: {@code 2026-11-21T10-15-00-blob-fetch}. If the name
     * is taken, {@code -2} and so on is appended.
     *
     * @param parent is created if it does not exist
     * @throws RunException if others may replace it
     */
    public static RunDirectory create(Path parent, Instant startedAt, String study) {
        String name = NAME_TIME.format(startedAt) + "-" + study;
        try {
            PrivateFiles.requireOwn(parent); // before something is made at a place that others chose
            PrivateFiles.ensureParents(parent);
            for (int n = 1; ; n++) {
                Path path = parent.resolve(n == 1 ? name : name + "-" + n);
                try {
                    return claimed(PrivateFiles.createDirectory(path), true);
                } catch (FileAlreadyExistsException taken) {
                    // try the next name
                }
            }
        } catch (IOException e) {
            throw unwritable(parent, e);
        }
    }

    /**
     * Creates a run directory with this path. An existing directory is used if it is empty, or has only what a run has
     * left that was killed before its manifest was written.
     *
     * @throws RunException if the directory is not empty, because a run is never overwritten, or is being written, or
     *     others may replace it or what is in it
     */
    public static RunDirectory createAt(Path path) {
        try {
            PrivateFiles.requireOwn(path);
            boolean isMissing = !Files.isDirectory(path);
            if (isMissing) {
                Path parent = path.toAbsolutePath().getParent();
                if (parent != null) {
                    PrivateFiles.ensureParents(parent);
                }
                PrivateFiles.createDirectory(path);
            } else if (!Remains.hasLock(path)) {
                Remains.requireUnused(path);
            }
            RunDirectory directory = claimed(path, isMissing);
            try {
                Remains.requireUnused(path);
                Remains.delete(path);
                return directory;
            } catch (RunException | IOException e) {
                directory.closeClaim();
                throw e;
            }
        } catch (FileAlreadyExistsException e) {
            throw new RunException(path.toString(), "this is a file", "name a directory", e);
        } catch (IOException e) {
            throw unwritable(path, e);
        }
    }

    /**
     * Reserves the run for a writer of this object.
     *
     * @throws RunException if another process writes it
     */
    public void claim() {
        claimed.set(WriteLock.take(path, "run"));
    }

    /** The lock of a writer: the claim, or a new one. */
    WriteLock lock() {
        return takeClaim().orElseGet(() -> WriteLock.take(path, "run"));
    }

    /** Takes over the claim, if there is one. */
    public Optional<WriteLock> takeClaim() {
        return Optional.ofNullable(claimed.getAndSet(null));
    }

    private void closeClaim() throws IOException {
        Optional<WriteLock> lock = takeClaim();
        if (lock.isPresent()) {
            lock.get().close();
        }
    }

    /**
     * Gives up a claim that no writer has taken. A new run is discarded then, as by
     * {@link #discardIfNothingWasMeasured}.
     */
    public void release() {
        if (claimed.get() != null && isNew) {
            discardIfNothingWasMeasured();
        }
        try {
            closeClaim();
        } catch (IOException e) {
            throw unwritable(path, e);
        }
    }

    /**
     * Deletes a new run that failed before anything was measured. A run in which a trial was measured or failed stays,
     * and so does one with logs of its servers. A directory that existed before the run stays, empty.
     */
    public void discardIfNothingWasMeasured() {
        Optional<WriteLock> held = takeClaim().or(() -> WriteLock.tryTake(path));
        if (held.isEmpty()) {
            return; // another process has begun to write it
        }
        WriteLock lock = held.get();
        try (lock) {
            boolean hasResults =
                    samples().stream().anyMatch(sample -> !(sample.outcome() instanceof Outcome.Unavailable));
            if (hasResults || Files.exists(path.resolve("server-logs"), LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
            try (Stream<Path> latencies = Files.list(PrivateFiles.ensureDirectory(path.resolve("latency")))) {
                for (Path file : latencies.toList()) {
                    Files.delete(file);
                }
            }
            for (String name : List.of("latency", "manifest.json.new", "manifest.json", "samples.jsonl")) {
                Files.deleteIfExists(path.resolve(name));
            }
            Files.deleteIfExists(path.resolve(WriteLock.FILE));
            if (isCreated) {
                Files.delete(path);
            }
        } catch (DirectoryNotEmptyException e) {
            // somebody else has put a file there
        } catch (IOException e) {
            throw unwritable(path, e);
        }
    }

    /** Opens an existing run, which may still be running or may have been killed. */
    public static RunDirectory open(Path path) {
        if (!isIn(path)) {
            requireBegun(path);
            throw new RunException(
                    path.toString(),
                    Files.isDirectory(path)
                            ? "there is no manifest.json in it"
                            : Files.exists(path) ? "this is a file" : "there is no such directory",
                    "name a run directory, such as runs/2026-11-21T10-15-00-blob-fetch");
        }
        return new RunDirectory(path, false, false, Optional.empty());
    }

    /** Explains a directory in which a writer has not written its manifest yet, or was killed before it did. */
    private static void requireBegun(Path path) {
        try {
            if (!Files.isDirectory(path) || !Remains.hasLock(path) || !Remains.hasOnlyRemains(path)) {
                return;
            }
            WriteLock.take(path, "run").close();
        } catch (IOException e) {
            throw unwritable(path, e);
        }
        throw new RunException(
                path.toString(),
                "the run was killed before it had written its manifest.json, so there is nothing to resume",
                "start it again with --out " + path + ", or delete the directory");
    }

    /** Whether a directory is that of a run. */
    public static boolean isIn(Path path) {
        return Files.isRegularFile(path.resolve("manifest.json"));
    }

    public Path path() {
        return path;
    }

    /** Opens the directory for writing. Only one process can have a writer at a time. */
    public RunWriter writer() {
        return new RunWriter(this);
    }

    public Manifest manifest() {
        Path file = manifestFile();
        try {
            JsonNode json = RunJson.MAPPER.readTree(PrivateFiles.read(file));
            int schema = json.path("schema").asInt(0);
            if (schema != Manifest.SCHEMA) {
                throw new RunException(
                        file.toString(),
                        "the file has schema " + schema + ", and this version reads schema " + Manifest.SCHEMA,
                        "read the run with the version of Blobmark that wrote it, "
                                + Visible.of(
                                        json.path("blobmark").path("version").asString("unknown")));
            }
            Manifest manifest = RunJson.MAPPER.treeToValue(json, Manifest.class);
            return redaction.map(names -> names.of(manifest)).orElse(manifest);
        } catch (IOException | JacksonException e) {
            throw new RunException(
                    file.toString(),
                    e instanceof JacksonException json ? json.getOriginalMessage() : e.getMessage(),
                    "restore the file from a copy; the samples are not affected",
                    e);
        }
    }

    /**
     * All complete samples, in the order in which they were measured. An incomplete last line, which a killed writer
     * may leave, is ignored.
     *
     * @throws RunException if any other line is damaged; it names the line's number
     */
    public List<Sample> samples() {
        return readSamples().samples();
    }

    /**
     * The latencies of a sample in nanoseconds.
     *
     * @param operation an operation type, for its service times, or another name of {@link Sample#histograms}
     * @return empty if none were written under this name
     */
    public Optional<Histogram> histogram(Sample sample, String operation) {
        return latencies().find(sample, operation);
    }

    /** Reads the latencies of many samples, without reading a log for each of them. */
    public LatencyLogs latencies() {
        return new LatencyLogs(this);
    }

    /** @param length of the file up to the end of the last complete line */
    record CompleteSamples(List<Sample> samples, long length) {}

    CompleteSamples readSamples() {
        byte[] bytes = readIfExists(samplesFile());
        List<Sample> samples = new ArrayList<>();
        int start = 0;
        for (int end; (end = indexOfNewline(bytes, start)) >= 0; start = end + 1) {
            int number = samples.size() + 1;
            try {
                samples.add(redacted(RunJson.MAPPER.readValue(bytes, start, end - start, Sample.class)));
            } catch (StreamReadException e) {
                if (end == bytes.length - 1) {
                    break; // after a crash of the system, the newline may be on disk without all bytes before it
                }
                throw damaged(number, e);
            } catch (JacksonException | IllegalArgumentException | NullPointerException e) {
                throw damaged(number, e);
            }
        }
        return new CompleteSamples(samples, start);
    }

    private Sample redacted(Sample sample) {
        if (redaction.isEmpty()) {
            return sample;
        }
        Sample redacted = redaction.get().of(sample);
        idInFile.put(redacted.trial().id(), sample.trial().id());
        return redacted;
    }

    /** The tag of a histogram in this run's files. */
    String tagOf(Sample sample, String operation) {
        return tag(idInFile.getOrDefault(sample.trial().id(), sample.trial().id()), sample, operation);
    }

    private RunException damaged(int number, RuntimeException e) {
        String reason = e instanceof JacksonException json ? json.getOriginalMessage() : e.getMessage();
        return new RunException(
                samplesFile() + ":" + number,
                "the line is not a valid sample: " + reason,
                "restore the file from a copy, or delete the line and read the run without that sample",
                e);
    }

    Path manifestFile() {
        return path.resolve("manifest.json");
    }

    Path samplesFile() {
        return path.resolve("samples.jsonl");
    }

    Path latencyFile(int fork) {
        return path.resolve("latency").resolve("fork-" + fork + ".hlog");
    }

    /** The tag of a histogram. It has a hash of the trial's id, which may have characters that are invalid in a tag. */
    static String tag(Sample sample, String operation) {
        return tag(sample.trial().id(), sample, operation);
    }

    private static String tag(String trial, Sample sample, String operation) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(trial.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 6) + "-b" + sample.block() + "-r" + sample.round() + "-"
                    + operation;
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    static RunException unwritable(Path place, IOException e) {
        return new RunException(
                place.toString(),
                "cannot be written (" + e.getClass().getSimpleName() + ": " + e.getMessage() + ")",
                "check its permissions and the free space, or name another directory with --out",
                e);
    }

    static byte[] readIfExists(Path file) {
        try {
            return PrivateFiles.read(file);
        } catch (NoSuchFileException e) {
            return new byte[0];
        } catch (IOException e) {
            throw new RunException(file.toString(), "cannot be read", "check its permissions", e);
        }
    }

    static int lengthOfCompleteLines(byte[] bytes) {
        return lengthOfCompleteLines(bytes, bytes.length);
    }

    private static int lengthOfCompleteLines(byte[] bytes, int length) {
        int end = length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        return end;
    }

    /**
     * The length of a latency log up to the last histogram whose sample was written. Only histograms at the end can
     * lack their sample, because samples are written one after another.
     */
    static int lengthWithSamples(byte[] log, Set<String> tags) {
        int end = lengthOfCompleteLines(log);
        while (end > 0) {
            int start = lengthOfCompleteLines(log, end - 1);
            String line = new String(log, start, end - start, StandardCharsets.US_ASCII);
            int comma = line.indexOf(',');
            if (!line.startsWith("Tag=") || comma > 0 && tags.contains(line.substring("Tag=".length(), comma))) {
                break;
            }
            end = start;
        }
        return end;
    }

    private static int indexOfNewline(byte[] bytes, int from) {
        for (int i = from; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                return i;
            }
        }
        return -1;
    }
}
