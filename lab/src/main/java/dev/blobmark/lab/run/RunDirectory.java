package dev.blobmark.lab.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
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
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.JsonNode;

/**
 * A directory that holds a run: {@code manifest.json}, {@code samples.jsonl} and {@code latency/}. The one thing that
 * running and reporting share.
 *
 * <p>Reading needs no lock: a directory may be read by any number of threads and processes while another writes it, and
 * what is read is what had been completed by then.
 */
public final class RunDirectory {

    private static final DateTimeFormatter NAME_TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss").withZone(ZoneOffset.UTC);

    private final Path path;

    /** Applied to what is read; nothing where the run is shown as it was written. */
    private final Optional<Redaction> redaction;

    /** Ids of trials as they were written, by what is shown of them. */
    private final Map<String, String> written = new ConcurrentHashMap<>();

    private RunDirectory(Path path) {
        this(path, Optional.empty());
    }

    private RunDirectory(Path path, Optional<Redaction> redaction) {
        this.path = path;
        this.redaction = redaction;
    }

    /** The same run, read without the names of the user's datasets, tables and directories, and without addresses. */
    public RunDirectory redacted() {
        return new RunDirectory(
                path, Optional.of(Redaction.OF_THIS_MACHINE.withNames(manifest().study(), "", "")));
    }

    /**
     * Makes a new directory named after the time (UTC) and the study: {@code 2026-11-21T10-15-00-blob-fetch}, with
     * {@code -2} and so on after it where there is one already.
     *
     * @param parent made if it is not there
     */
    public static RunDirectory create(Path parent, Instant startedAt, String study) {
        String name = NAME_TIME.format(startedAt) + "-" + study;
        try {
            Files.createDirectories(parent);
            for (int n = 1; ; n++) {
                Path path = parent.resolve(n == 1 ? name : name + "-" + n);
                try {
                    return new RunDirectory(PrivateFiles.createDirectory(path));
                } catch (FileAlreadyExistsException taken) {
                    // the next name, then
                }
            }
        } catch (IOException e) {
            throw unwritable(parent, e);
        }
    }

    /**
     * Makes a run directory of exactly this path, which may be there as long as it is empty.
     *
     * @throws RunException if there is something in it: a run is never written over
     */
    public static RunDirectory createAt(Path path) {
        try {
            if (!Files.isDirectory(path)) {
                Path parent = path.toAbsolutePath().getParent();
                if (parent != null) {
                    Files.createDirectories(parent);
                }
                PrivateFiles.createDirectory(path);
            }
            try (Stream<Path> entries = Files.list(path)) {
                if (entries.findAny().isPresent()) {
                    throw new RunException(
                            path.toString(),
                            "the directory is not empty, and a run is never written over",
                            "name another directory, or move this one away");
                }
            }
            return new RunDirectory(path);
        } catch (FileAlreadyExistsException e) {
            throw new RunException(path.toString(), "this is a file", "name a directory", e);
        } catch (IOException e) {
            throw unwritable(path, e);
        }
    }

    /** Opens a run that has been made, also one that is still going or was killed. */
    public static RunDirectory open(Path path) {
        if (!Files.isRegularFile(path.resolve("manifest.json"))) {
            throw new RunException(
                    path.toString(),
                    Files.isDirectory(path)
                            ? "there is no manifest.json in it"
                            : Files.exists(path) ? "this is a file" : "there is no such directory",
                    "name a run directory, such as runs/2026-11-21T10-15-00-blob-fetch");
        }
        return new RunDirectory(path);
    }

    public Path path() {
        return path;
    }

    /** Opens the directory for writing; one writer at a time, among all processes. */
    public RunWriter writer() {
        return new RunWriter(this);
    }

    public Manifest manifest() {
        Path file = manifestFile();
        PrivateFiles.requireOwnFile(file);
        try {
            JsonNode json = RunJson.MAPPER.readTree(Files.readAllBytes(file));
            int schema = json.path("schema").asInt(0);
            if (schema != Manifest.SCHEMA) {
                throw new RunException(
                        file.toString(),
                        "schema " + schema + " is not the one this version reads, " + Manifest.SCHEMA,
                        "read the run with the version of Blobmark that made it, "
                                + Visible.of(
                                        json.path("blobmark").path("version").asString("unknown")));
            }
            Manifest manifest = RunJson.MAPPER.treeToValue(json, Manifest.class);
            return redaction.map(what -> what.of(manifest)).orElse(manifest);
        } catch (IOException | JacksonException e) {
            throw new RunException(
                    file.toString(),
                    e instanceof JacksonException json ? json.getOriginalMessage() : e.getMessage(),
                    "the samples beside it are whole: restore the file from a copy",
                    e);
        }
    }

    /**
     * All completed samples, in the order in which they were measured. What a killed writer left of a last line is passed
     * over.
     *
     * @throws RunException if any other line is broken; it names the line's number
     */
    public List<Sample> samples() {
        return readSamples().samples();
    }

    /**
     * The latencies of a sample in nanoseconds.
     *
     * @param operation an operation type, for its service times; or another of {@link Sample#histograms}
     * @return empty if none were written for this operation type
     */
    public Optional<Histogram> histogram(Sample sample, String operation) {
        return latencies().find(sample, operation);
    }

    /** The same for many samples, without reading a log anew for each. */
    public LatencyLogs latencies() {
        return new LatencyLogs(this);
    }

    /** @param length of the file up to the end of the last whole line */
    record WholeSamples(List<Sample> samples, long length) {}

    WholeSamples readSamples() {
        byte[] bytes = readIfThere(samplesFile());
        List<Sample> samples = new ArrayList<>();
        int start = 0;
        for (int end; (end = indexOfNewline(bytes, start)) >= 0; start = end + 1) {
            int number = samples.size() + 1;
            try {
                samples.add(shown(RunJson.MAPPER.readValue(bytes, start, end - start, Sample.class)));
            } catch (StreamReadException e) {
                if (end == bytes.length - 1) {
                    break; // a crash of the system can leave the newline without all that is before it
                }
                throw broken(number, e);
            } catch (JacksonException | IllegalArgumentException | NullPointerException e) {
                throw broken(number, e);
            }
        }
        return new WholeSamples(samples, start);
    }

    private Sample shown(Sample sample) {
        if (redaction.isEmpty()) {
            return sample;
        }
        Sample shown = redaction.get().of(sample);
        written.put(shown.trial().id(), sample.trial().id());
        return shown;
    }

    /** The tag of a histogram in this run's files. */
    String tagOf(Sample sample, String operation) {
        return tag(written.getOrDefault(sample.trial().id(), sample.trial().id()), sample, operation);
    }

    private RunException broken(int number, RuntimeException e) {
        String reason = e instanceof JacksonException json ? json.getOriginalMessage() : e.getMessage();
        return new RunException(
                samplesFile() + ":" + number,
                "this is no sample: " + reason,
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

    /** Names a histogram. A trial's id may hold characters that a histogram log does not take, so its hash stands for it. */
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

    static byte[] readIfThere(Path file) {
        PrivateFiles.requireOwnFile(file);
        try {
            return Files.readAllBytes(file);
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
     * The length of a latency log up to the last histogram that has its sample. Only the last sample's can lack it: each
     * is written when the sample before it is there.
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
