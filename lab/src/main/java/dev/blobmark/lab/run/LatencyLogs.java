package dev.blobmark.lab.run;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

/**
 * The latencies of a run, for readers that look at many samples: the log of each fork is read once, as it is then, and a histogram is decoded
 * when it is asked for. For one thread at a time.
 */
public final class LatencyLogs {

    private static final String TAG = "Tag=";

    private final RunDirectory run;
    private final Map<Integer, Map<String, String>> linesByFork = new HashMap<>();

    LatencyLogs(RunDirectory run) {
        this.run = run;
    }

    /**
     * The latencies of a sample in nanoseconds.
     *
     * @return empty if none were written for this operation type
     */
    public Optional<Histogram> find(Sample sample, String operation) {
        return Optional.ofNullable(
                        linesByFork.computeIfAbsent(sample.fork(), this::read).get(RunDirectory.tag(sample, operation)))
                .map(LatencyLogs::decode);
    }

    /** Lines by tag. A histogram is written before its sample: after a kill between the two it is measured and written once more, and the last counts. */
    private Map<String, String> read(int fork) {
        byte[] log = RunDirectory.readIfThere(run.latencyFile(fork));
        byte[] whole = Arrays.copyOf(log, RunDirectory.lengthOfCompleteLines(log));
        Map<String, String> byTag = new HashMap<>();
        new String(whole, StandardCharsets.US_ASCII)
                .lines()
                .filter(line -> line.startsWith(TAG))
                .forEach(line -> byTag.put(line.substring(TAG.length(), line.indexOf(',')), line));
        return byTag;
    }

    private static Histogram decode(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.US_ASCII);
        try (var reader = new HistogramLogReader(new ByteArrayInputStream(bytes))) {
            return (Histogram) reader.nextIntervalHistogram();
        }
    }
}
