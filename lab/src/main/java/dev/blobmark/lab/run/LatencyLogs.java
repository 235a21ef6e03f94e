package dev.blobmark.lab.run;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

/**
 * Reads the latencies of many samples. The log of each fork is read once, and a histogram is decoded when it is used.
 * Not thread-safe.
 */
public final class LatencyLogs {

    private static final String TAG = "Tag=";

    private final RunDirectory run;
    private final Map<Integer, Map<String, String>> linesByFork = new HashMap<>();
    private final SortedMap<Integer, Set<String>> damagedByFork = new TreeMap<>();

    LatencyLogs(RunDirectory run) {
        this.run = run;
    }

    /**
     * The latencies of a sample in nanoseconds.
     *
     * @return empty if none were written for this operation type, or if they are damaged, see {@link #damage}
     */
    public Optional<Histogram> find(Sample sample, String operation) {
        String tag = run.tagOf(sample, operation);
        String line = linesByFork.computeIfAbsent(sample.fork(), this::read).get(tag);
        if (line == null) {
            return Optional.empty();
        }
        Optional<Histogram> histogram = decode(line);
        if (histogram.isEmpty()) {
            damagedByFork
                    .computeIfAbsent(sample.fork(), fork -> new HashSet<>())
                    .add(tag);
        }
        return histogram;
    }

    /** A sentence for each file with damaged histograms, among those that {@link #find} has looked up. */
    public List<String> damage() {
        return damagedByFork.entrySet().stream()
                .map(fork -> run.path().relativize(run.latencyFile(fork.getKey())) + " is damaged: "
                        + fork.getValue().size()
                        + (fork.getValue().size() == 1 ? " histogram" : " histograms")
                        + " cannot be read, and percentiles over all operations leave them out; restore the"
                        + " file from a copy")
                .toList();
    }

    /**
     * Lines by tag. If a run was killed after it had written a histogram and before it wrote the sample, the resumed
     * run writes the histogram again. The last line counts.
     */
    private Map<String, String> read(int fork) {
        byte[] log = RunDirectory.readIfExists(run.latencyFile(fork));
        byte[] whole = Arrays.copyOf(log, RunDirectory.lengthOfCompleteLines(log));
        Map<String, String> byTag = new HashMap<>();
        new String(whole, StandardCharsets.US_ASCII)
                .lines()
                .filter(line -> line.startsWith(TAG))
                .filter(line -> line.indexOf(',') > 0)
                .forEach(line -> byTag.put(line.substring(TAG.length(), line.indexOf(',')), line));
        return byTag;
    }

    /** Empty if the line is damaged. The library then throws any exception of its buffers. */
    private static Optional<Histogram> decode(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.US_ASCII);
        try (var reader = new HistogramLogReader(new ByteArrayInputStream(bytes))) {
            return Optional.ofNullable((Histogram) reader.nextIntervalHistogram());
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }
}
