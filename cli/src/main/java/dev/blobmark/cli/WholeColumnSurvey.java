package dev.blobmark.cli;

import dev.blobmark.analysis.survey.WholeColumnFinding;
import dev.blobmark.lab.hosts.Cluster;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.probe.CodecFigures;
import dev.blobmark.lab.probe.CodecTrials;
import dev.blobmark.lab.probe.StratifiedSample;
import dev.blobmark.lab.probe.StratifiedSample.Stratum;
import dev.blobmark.lab.run.PrivateFiles;
import dev.blobmark.lab.survey.ValueKind;
import dev.blobmark.mysql.server.UserInfo;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A survey of a column, all of whose values were read: what is in it, and how much smaller codecs make it. */
final class WholeColumnSurvey {

    /** The codecs that are compared; {@code mysql:6} is what COMPRESS() writes. */
    private static final List<String> CODECS =
            List.of("lz4", "zstd:1", "zstd:3", "zstd:9", "brotli:5", "deflate:6", "mysql:6");

    /** Values on which codecs are measured. */
    private static final long MEASURED_BYTES = 8 << 20;

    private static final int LEAST_OF_CLASS = 24;
    private static final int MOST_DRAWN = 5_000;

    /** As many as a dataset of files has. */
    private static final int WRITTEN = 990;

    private static final long SEED = 1;

    /** Formats by the end of a path. */
    private static final Map<String, String> FORMATS = Map.of(
            "parquet", "parquet",
            "orc", "orc",
            "json", "json",
            "jsonl", "json",
            "ndjson", "json",
            "avro", "avro");

    private static final String DELTA = "delta:";

    private WholeColumnSurvey() {}

    /**
     * The column that {@code PATH#COLUMN} names.
     *
     * @throws IllegalArgumentException if it names none, or the format is not known
     */
    static Cluster.FileColumn column(String text) {
        if (UserInfo.hasPassword(text)) {
            throw new IllegalArgumentException(
                    "everybody on this machine can read a key or a password in an address: remove it, and change it."
                            + " Put it into a file of mode 600 that --spark-conf-file names, as in"
                            + " spark.hadoop.fs.s3a.secret.key");
        }
        int hash = text.lastIndexOf('#');
        if (hash < 1 || hash == text.length() - 1) {
            throw new IllegalArgumentException(
                    "'" + text + "' names no column of files; write s3a://lake/orders.parquet#payload,"
                            + " or add --server for SCHEMA.TABLE.COLUMN");
        }
        String path = text.substring(0, hash);
        String name = text.substring(hash + 1);
        if (path.startsWith(DELTA)) {
            return new Cluster.FileColumn(path.substring(DELTA.length()), "delta", name);
        }
        String plain = path.replaceFirst("/+$", "").replaceFirst("\\.(gz|zst|bz2|lz4|snappy)$", "");
        String end = plain.substring(plain.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return new Cluster.FileColumn(
                path,
                Optional.ofNullable(FORMATS.get(end))
                        .orElseThrow(() -> new IllegalArgumentException("the format of " + path
                                + " is not known; its name must end in .parquet, .orc, .avro, .json or .jsonl, or begin with "
                                + DELTA)),
                name);
    }

    /**
     * What is in a column.
     *
     * @param name of the column, for the report
     * @param scanned by the hosts
     * @param started receives the name of each step
     */
    static WholeColumnFinding of(String name, Cluster.Scanned scanned, Consumer<String> started) {
        long bytes = scanned.classes().stream()
                .mapToLong(Cluster.Scanned.ValuesOfSize::bytes)
                .sum();
        Map<SizeClass, WholeColumnFinding.SizeTotals> classes = new EnumMap<>(SizeClass.class);
        Map<ValueKind, Integer> kinds = new EnumMap<>(ValueKind.class);
        List<Stratum> strata = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(SEED);
        for (Cluster.Scanned.ValuesOfSize of : scanned.classes()) {
            classes.put(of.size(), new WholeColumnFinding.SizeTotals(of.rows(), of.bytes()));
            List<byte[]> drawn = drawn(of, LEAST_OF_CLASS, MEASURED_BYTES * of.bytes() / Math.max(1, bytes), random);
            drawn.forEach(value -> kinds.merge(
                    ValueKind.of(Arrays.copyOf(value, Math.min(value.length, 1 << 10)), false), 1, Integer::sum));
            if (!drawn.isEmpty()) {
                strata.add(new Stratum(
                        of.size(),
                        of.rows(),
                        of.bytes(),
                        Math.max(drawn.size(), of.sample().size()),
                        drawn));
            }
        }
        List<CodecFigures> codecs = bytes == 0 || strata.isEmpty()
                ? List.of()
                : CodecTrials.measure(
                                CODECS, new StratifiedSample(strata), codec -> started.accept("measuring " + codec))
                        .stream()
                        .sorted(Comparator.comparingDouble(CodecFigures::storedBytes))
                        .toList();
        return new WholeColumnFinding(
                name,
                scanned.missing(),
                scanned.unread(),
                new TreeMap<>(classes),
                scanned.classes().stream()
                        .mapToDouble(Cluster.Scanned.ValuesOfSize::distinct)
                        .sum(),
                scanned.classes().stream()
                        .mapToLong(Cluster.Scanned.ValuesOfSize::longest)
                        .max()
                        .orElse(0),
                kinds,
                codecs);
    }

    /**
     * Writes values as files, each size class with its share of the rows.
     *
     * @param directory made here, for its owner only
     * @return number of files
     * @throws dev.blobmark.lab.run.RunException if others may replace it
     * @throws java.nio.file.FileAlreadyExistsException if there is a file or directory of that name
     */
    static int write(Cluster.Scanned scanned, Path directory) throws IOException {
        long rows = scanned.classes().stream()
                .mapToLong(Cluster.Scanned.ValuesOfSize::rows)
                .sum();
        PrivateFiles.requireOwn(directory);
        PrivateFiles.createDirectory(directory);
        PrivateFiles.requireOwn(directory);
        SplittableRandom random = new SplittableRandom(SEED);
        int written = 0;
        for (Cluster.Scanned.ValuesOfSize of : scanned.classes()) {
            int share = (int) Math.ceil((double) WRITTEN * of.rows() / rows);
            for (byte[] value : drawn(of, share, 0, random)) {
                try (OutputStream out =
                        PrivateFiles.replace(directory.resolve(String.format(Locale.ROOT, "%04d", written)))) {
                    out.write(value);
                }
                written++;
            }
        }
        return written;
    }

    /**
     * Values of one size class, each with the chance that it has among all rows. The sample has different values: if
     * none occurs twice, they are taken as they are.
     *
     * @param least number of values, and more until they have that many bytes; fewer if there are no more
     */
    private static List<byte[]> drawn(
            Cluster.Scanned.ValuesOfSize of, int least, long mostBytes, SplittableRandom random) {
        List<Cluster.Scanned.DistinctValue> sample = of.sample();
        boolean isUnique = sample.stream().allMatch(value -> value.rows() == 1);
        long[] until = new long[sample.size()];
        long rows = 0;
        for (int i = 0; i < until.length; i++) {
            rows += sample.get(i).rows();
            until[i] = rows;
        }
        List<byte[]> drawn = new ArrayList<>();
        long bytes = 0;
        while (drawn.size() < (isUnique ? sample.size() : MOST_DRAWN) && (drawn.size() < least || bytes < mostBytes)) {
            int number = drawn.size();
            if (!isUnique) {
                int found = Arrays.binarySearch(until, random.nextLong(rows) + 1);
                number = found < 0 ? -found - 1 : found;
            }
            byte[] value = sample.get(number).bytes();
            drawn.add(value);
            bytes += value.length;
        }
        return drawn;
    }
}
