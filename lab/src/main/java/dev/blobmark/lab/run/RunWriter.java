package dev.blobmark.lab.run;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.DSYNC;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * Writes a run directory. If the process is killed at any moment, each sample whose {@link #append} has returned is on
 * disk, and only the last line may be incomplete. Opening a writer truncates an incomplete line, and histograms whose
 * sample was not written.
 *
 * <p>Thread-safe: calls wait for each other, and until data is on disk. An interrupt does not leave an incomplete line.
 */
public final class RunWriter implements Closeable {

    private final RunDirectory directory;
    private final WriteLock lock;
    private final OutputStream samples;
    private final Map<Integer, OutputStream> latencies = new HashMap<>();

    /** Changes during a run, when the variables of its servers become known. */
    private Redaction redaction = Redaction.OF_THIS_MACHINE;

    /** Tags of the histograms of samples from before this writer. */
    private final Set<String> tags = new HashSet<>();

    RunWriter(RunDirectory directory) {
        this.directory = directory;
        try {
            lock = directory.lock();
            try {
                PrivateFiles.ensureDirectory(directory.path().resolve("latency"));
                RunDirectory.CompleteSamples complete = directory.readSamples();
                samples = open(directory.samplesFile(), complete.length());
                for (Sample sample : complete.samples()) {
                    sample.histograms().forEach(type -> tags.add(RunDirectory.tag(sample, type)));
                }
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
        } catch (IOException e) {
            throw RunDirectory.unwritable(directory.path(), e);
        }
    }

    public RunDirectory directory() {
        return directory;
    }

    /** Sets the redaction of what is written from now on. */
    public synchronized void redact(Redaction redaction) {
        this.redaction = redaction;
    }

    /** Replaces the manifest atomically. */
    public synchronized void write(Manifest manifest) {
        Path file = directory.manifestFile();
        Path fresh = file.resolveSibling("manifest.json.new");
        byte[] json = RunJson.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(redaction.of(manifest));
        try {
            try (OutputStream out = PrivateFiles.replace(fresh, DSYNC)) {
                out.write(json);
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            syncDirectory();
        } catch (IOException e) {
            throw RunDirectory.unwritable(file, e);
        }
    }

    /**
     * Adds a sample: its latencies first, then its line, each synced.
     *
     * @param latencyNanos the histograms of {@link Sample#histograms}; neither kept nor changed
     */
    public synchronized void append(Sample measured, Map<String, Histogram> latencyNanos) {
        Sample sample = redaction.of(measured);
        if (!sample.histograms().equals(latencyNanos.keySet())) {
            throw new IllegalArgumentException(
                    "histograms of " + latencyNanos.keySet() + " for a sample with " + sample.histograms());
        }
        try {
            if (!latencyNanos.isEmpty()) {
                latencies(sample.fork()).write(log(sample, latencyNanos));
            }
            byte[] json = RunJson.MAPPER.writeValueAsBytes(sample);
            byte[] line = Arrays.copyOf(json, json.length + 1);
            line[json.length] = '\n';
            samples.write(line);
        } catch (IOException e) {
            throw RunDirectory.unwritable(directory.path(), e);
        }
    }

    /** Copies redacted logs of a server into {@code server-logs}. If a name is taken, a number is appended. */
    public synchronized void keepLogs(Map<String, Path> logs) {
        try {
            Path kept = directory.path().resolve("server-logs");
            for (var file : logs.entrySet()) {
                PrivateFiles.ensureDirectory(kept);
                Path target = kept.resolve(file.getKey());
                for (int start = 2; Files.exists(target, LinkOption.NOFOLLOW_LINKS); start++) {
                    target = kept.resolve(file.getKey() + "." + start);
                }
                if (Files.exists(file.getValue())) {
                    // unlike Files.lines, a reader replaces bytes that are not UTF-8 instead of throwing
                    try (BufferedReader log = new BufferedReader(new InputStreamReader(
                                    Files.newInputStream(file.getValue()), StandardCharsets.UTF_8));
                            Writer out = new OutputStreamWriter(PrivateFiles.replace(target), StandardCharsets.UTF_8)) {
                        for (String line = log.readLine(); line != null; line = log.readLine()) {
                            out.write(redaction.message(line) + System.lineSeparator());
                        }
                    }
                }
            }
        } catch (IOException e) {
            throw RunDirectory.unwritable(directory.path(), e);
        }
    }

    @Override
    public synchronized void close() {
        try {
            for (OutputStream file : latencies.values()) {
                file.close();
            }
            samples.close();
            lock.close();
        } catch (IOException e) {
            throw RunDirectory.unwritable(directory.path(), e);
        }
    }

    private OutputStream latencies(int fork) throws IOException {
        OutputStream open = latencies.get(fork);
        if (open == null) {
            Path file = directory.latencyFile(fork);
            int length = RunDirectory.lengthWithSamples(RunDirectory.readIfExists(file), tags);
            open = open(file, length);
            latencies.put(fork, open);
            if (length == 0) {
                ByteArrayOutputStream head = new ByteArrayOutputStream();
                HistogramLogWriter log = new HistogramLogWriter(head);
                log.outputLogFormatVersion();
                log.outputComment("[Times in nanoseconds; Interval_Max is in milliseconds]");
                log.outputLegend();
                log.close();
                open.write(head.toByteArray());
            }
        }
        return open;
    }

    private static byte[] log(Sample sample, Map<String, Histogram> latencyNanos) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        HistogramLogWriter log = new HistogramLogWriter(new PrintStream(lines, false, StandardCharsets.US_ASCII));
        double start = sample.position().startedAt().toEpochMilli() / 1e3;
        double end = start + sample.resources().elapsedNanos().orElse(0) / 1e9;
        latencyNanos.forEach((operation, histogram) -> {
            Histogram tagged = histogram.copy();
            tagged.setTag(RunDirectory.tag(sample, operation));
            log.outputIntervalHistogram(start, end, tagged);
        });
        log.close();
        return lines.toByteArray();
    }

    /**
     * Opens a file for appending, and truncates it to a length. Each write of bytes is one write to the file, and they
     * are on disk when it returns.
     */
    private static OutputStream open(Path file, long length) throws IOException {
        boolean isInterrupted = false;
        for (boolean isTruncated = false; !isTruncated; ) {
            try (FileChannel channel = PrivateFiles.open(file, CREATE, WRITE)) {
                channel.truncate(length);
                isTruncated = true;
            } catch (ClosedByInterruptException e) { // nothing or all is done then
                isInterrupted |= Thread.interrupted();
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return PrivateFiles.append(file, DSYNC);
    }

    /** Makes the rename durable. On Windows, a directory cannot be opened, and renames need no such call. */
    private void syncDirectory() {
        try (FileChannel channel = FileChannel.open(directory.path(), READ)) {
            channel.force(true);
        } catch (IOException e) {
            // Windows
        }
    }
}
