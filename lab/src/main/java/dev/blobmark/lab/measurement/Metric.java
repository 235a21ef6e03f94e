package dev.blobmark.lab.measurement;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * The figures by which methods can be ranked and compared, each with how it is read from a measurement. Studies,
 * claims, tables, CSV, JSON, Prometheus' format and the page have their metrics from this table: a metric that is added
 * here is in all of them.
 */
public enum Metric {
    /** Application bytes. */
    THROUGHPUT(
            "throughput",
            "throughput",
            "throughput",
            MetricUnit.BYTES_PER_SECOND,
            true,
            whole(Operations::throughputBytesPerSecond)),
    OPERATIONS(
            "operations",
            "operations per second",
            "operations",
            MetricUnit.PER_SECOND,
            true,
            whole(Operations::operationsPerSecond)),
    /** Service times: from the actual start. */
    MEAN(
            "mean",
            "mean latency",
            "latency_mean",
            MetricUnit.NANOS,
            false,
            whole(o -> o.latency().mean())),
    P50("p50", "median latency", "latency_p50", 50, service(Latency::p50)),
    P90("p90", "p90 latency", "latency_p90", 90, service(Latency::p90)),
    P95("p95", "p95 latency", "latency_p95", 95, service(Latency::p95)),
    P99("p99", "p99 latency", "latency_p99", 99, service(Latency::p99)),
    P999("p999", "p99.9 latency", "latency_p999", 99.9, service(Latency::p999)),
    MAX("max", "longest operation", "latency_max", MetricUnit.NANOS, false, service(Latency::max)),
    /** Response times, from the intended start: only in an open loop. */
    RESPONSE_P50("response-p50", "median response time", "response_p50", 50, response(Latency::p50)),
    RESPONSE_P99("response-p99", "p99 response time", "response_p99", 99, response(Latency::p99)),
    RESPONSE_P999("response-p999", "p99.9 response time", "response_p999", 99.9, response(Latency::p999)),
    /** CPU time of the client's processes. */
    CPU(
            "cpu",
            "client CPU",
            "client_cpu",
            MetricUnit.NANOS_PER_OPERATION,
            false,
            m -> m.own().clientCpuNanosPerOp()),
    /** CPU time of the server's process. */
    SERVER_CPU(
            "server-cpu",
            "server CPU",
            "server_cpu",
            MetricUnit.NANOS_PER_OPERATION,
            false,
            m -> m.own().serverCpuNanosPerOp()),
    /** Pages that the server reads from files. */
    PAGES_READ(
            "pages-read",
            "pages read",
            "pages_read",
            MetricUnit.PER_OPERATION,
            false,
            m -> m.own().pagesReadPerOp()),
    /** How often an SQL node of a cluster waits for data nodes. */
    ROUND_TRIPS(
            "round-trips",
            "round trips",
            "round_trips",
            MetricUnit.PER_OPERATION,
            false,
            m -> m.own()
                    .counters()
                    .map(counters -> perOperation(counters.roundTrips(), m))
                    .orElse(OptionalDouble.empty())),
    /** Bytes that the client receives from the socket. */
    WIRE_IN(
            "wire-in",
            "bytes received",
            "wire_in",
            MetricUnit.BYTES_PER_OPERATION,
            false,
            m -> perOperation(m.operations().bytes().wireIn(), m)),
    /** Bytes that the client sends to the socket. */
    WIRE_OUT(
            "wire-out",
            "bytes sent",
            "wire_out",
            MetricUnit.BYTES_PER_OPERATION,
            false,
            m -> perOperation(m.operations().bytes().wireOut(), m)),
    /** Time from the last byte of a request to the first of its answer. */
    WAITING("waiting", "time waiting", "waiting", MetricUnit.NANOS_PER_OPERATION, false, time(TimeSpent::waiting)),
    /** Time in calls of the socket that send, or receive after the first byte. */
    TRANSFER(
            "transfer",
            "time of transfer",
            "transfer",
            MetricUnit.NANOS_PER_OPERATION,
            false,
            time(TimeSpent::transfer)),
    /** Time between calls of the socket, out of the codec. */
    CLIENT("client", "time in the driver", "client", MetricUnit.NANOS_PER_OPERATION, false, time(TimeSpent::client)),
    /** Time in the codec. */
    DECODE("decode", "time in the codec", "decode", MetricUnit.NANOS_PER_OPERATION, false, time(TimeSpent::decode)),
    /** Time until a pool gives a connection. */
    POOL("pool", "time for a connection", "pool", MetricUnit.NANOS_PER_OPERATION, false, time(TimeSpent::pool)),
    /** How long the window took: of a window that is a number of operations. */
    ELAPSED(
            "elapsed",
            "time of the window",
            "elapsed",
            MetricUnit.NANOS,
            false,
            m -> real(m.resources().elapsedNanos())),
    /** Bytes that the client's workers allocate. */
    ALLOCATION(
            "allocation",
            "bytes allocated",
            "allocated",
            MetricUnit.BYTES_PER_OPERATION,
            false,
            m -> m.own().allocatedBytesPerOp()),
    /** Application bytes ÷ stored bytes. */
    COMPRESSION_RATIO(
            "compression-ratio",
            "compression ratio",
            "compression_ratio",
            MetricUnit.NONE,
            true,
            Metric::compressionRatio),
    /** Allocated bytes of the table's files. */
    DISK("disk", "disk", "disk", MetricUnit.BYTES, false, m -> real(m.disk().allocatedBytes())),
    /** Of the pages of these files, those in use. */
    DISK_USED(
            "disk-used",
            "used disk",
            "disk_used",
            MetricUnit.BYTES,
            false,
            m -> real(m.disk().usedBytes())),
    /** Time for one read of a page of the table's file. */
    PAGE_READ("page-read", "time to read a page", "page_read", MetricUnit.NANOS, false, pages(PageTimes::readNanos)),
    /** Time for inflating a page with blocks of the table's size. */
    PAGE_INFLATE(
            "page-inflate",
            "time to inflate a page",
            "page_inflate",
            MetricUnit.NANOS,
            false,
            pages(PageTimes::inflateNanos)),
    /** The former ÷ the latter. */
    READ_TO_INFLATE(
            "read-to-inflate",
            "reading ÷ inflating a page",
            "read_to_inflate",
            MetricUnit.NONE,
            false,
            pages(PageTimes::ratio));

    /** What a metric counts in. */
    public enum MetricUnit {
        BYTES_PER_SECOND("_bytes_per_s"),
        PER_SECOND("_per_s"),
        NANOS("_ns"),
        NANOS_PER_OPERATION("_ns_per_op"),
        BYTES("_bytes"),
        BYTES_PER_OPERATION("_bytes_per_op"),
        PER_OPERATION("_per_op"),
        NONE("");

        private final String suffix;

        MetricUnit(String suffix) {
            this.suffix = suffix;
        }

        public boolean isTime() {
            return this == NANOS || this == NANOS_PER_OPERATION;
        }

        public boolean isRate() {
            return this == BYTES_PER_SECOND || this == PER_SECOND;
        }

        public boolean isPerOperation() {
            return this == NANOS_PER_OPERATION || this == BYTES_PER_OPERATION || this == PER_OPERATION;
        }
    }

    private final String word;
    private final String noun;
    private final String stem;
    private final MetricUnit unit;
    private final boolean higherIsBetter;
    private final OptionalDouble percentile;
    private final Function<Measured, OptionalDouble> figure;

    Metric(
            String word,
            String noun,
            String stem,
            MetricUnit unit,
            boolean higherIsBetter,
            Function<Measured, OptionalDouble> figure) {
        this(word, noun, stem, unit, higherIsBetter, OptionalDouble.empty(), figure);
    }

    /** A percentile of a time. */
    Metric(String word, String noun, String stem, double percentile, Function<Measured, OptionalDouble> figure) {
        this(word, noun, stem, MetricUnit.NANOS, false, OptionalDouble.of(percentile), figure);
    }

    Metric(
            String word,
            String noun,
            String stem,
            MetricUnit unit,
            boolean higherIsBetter,
            OptionalDouble percentile,
            Function<Measured, OptionalDouble> figure) {
        this.word = word;
        this.noun = noun;
        this.stem = stem;
        this.unit = unit;
        this.higherIsBetter = higherIsBetter;
        this.percentile = percentile;
        this.figure = figure;
    }

    /** The figure of a measurement; empty where it is not known, or not of these operations alone. */
    public OptionalDouble of(Measured measured) {
        return figure.apply(measured);
    }

    /** As written in a study. */
    public String word() {
        return word;
    }

    /** As written in a sentence. */
    public String noun() {
        return noun;
    }

    /** As written in a file, with the unit: {@code client_cpu_ns_per_op}. */
    public String field() {
        return stem + unit.suffix;
    }

    public MetricUnit unit() {
        return unit;
    }

    public boolean higherIsBetter() {
        return higherIsBetter;
    }

    /** From 0 to 100; empty for what is no percentile of a time. */
    public OptionalDouble percentile() {
        return percentile;
    }

    /** Whether it is a time from the intended start. */
    public boolean isResponse() {
        return stem.startsWith("response");
    }

    public static Optional<Metric> find(String word) {
        return Arrays.stream(values()).filter(m -> m.word.equals(word)).findFirst();
    }

    /** All that a study may name, the usual headline first. */
    public static List<String> words() {
        return Arrays.stream(values()).map(Metric::word).toList();
    }

    private static Function<Measured, OptionalDouble> whole(ToDoubleFunction<Operations> figure) {
        return m -> OptionalDouble.of(figure.applyAsDouble(m.operations()));
    }

    private static Function<Measured, OptionalDouble> service(ToLongFunction<Latency> figure) {
        return m -> OptionalDouble.of(figure.applyAsLong(m.operations().latency()));
    }

    private static Function<Measured, OptionalDouble> response(ToLongFunction<Latency> figure) {
        return m -> m.operations()
                .response()
                .map(value -> OptionalDouble.of(figure.applyAsLong(value)))
                .orElse(OptionalDouble.empty());
    }

    private static Function<Measured, OptionalDouble> time(ToDoubleFunction<TimeSpent> part) {
        return m -> m.time()
                .map(spent -> OptionalDouble.of(part.applyAsDouble(spent)))
                .orElse(OptionalDouble.empty());
    }

    private static Function<Measured, OptionalDouble> pages(ToDoubleFunction<PageTimes> figure) {
        return m -> m.disk()
                .pages()
                .map(pages -> OptionalDouble.of(figure.applyAsDouble(pages)))
                .orElse(OptionalDouble.empty());
    }

    private static OptionalDouble perOperation(OptionalLong total, Measured m) {
        return total.isPresent()
                ? OptionalDouble.of((double) total.getAsLong() / m.operations().count())
                : OptionalDouble.empty();
    }

    private static OptionalDouble compressionRatio(Measured m) {
        long stored = m.operations().bytes().stored().orElse(0);
        return stored > 0
                ? OptionalDouble.of((double) m.operations().bytes().application() / stored)
                : OptionalDouble.empty();
    }

    private static OptionalDouble real(OptionalLong whole) {
        return whole.isPresent() ? OptionalDouble.of(whole.getAsLong()) : OptionalDouble.empty();
    }
}
