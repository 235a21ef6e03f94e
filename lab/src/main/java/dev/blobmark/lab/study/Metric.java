package dev.blobmark.lab.study;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A figure of a sample by which methods can be ranked and compared. */
public enum Metric {
    /** Application bytes per second. */
    THROUGHPUT("throughput", Unit.BYTES_PER_SECOND, true),
    /** Operations per second. */
    OPERATIONS("operations", Unit.PER_SECOND, true),
    /** Service times. */
    MEAN("mean", Unit.NANOS, false),
    P50("p50", Unit.NANOS, false),
    P90("p90", Unit.NANOS, false),
    P95("p95", Unit.NANOS, false),
    P99("p99", Unit.NANOS, false),
    P999("p999", Unit.NANOS, false),
    MAX("max", Unit.NANOS, false),
    /** Response times, from the intended start: only in an open loop. */
    RESPONSE_P50("response-p50", Unit.NANOS, false),
    RESPONSE_P99("response-p99", Unit.NANOS, false),
    RESPONSE_P999("response-p999", Unit.NANOS, false),
    /** CPU time of the client's process per operation. */
    CPU("cpu", Unit.NANOS, false),
    /** CPU time of the server's process per operation. */
    SERVER_CPU("server-cpu", Unit.NANOS, false),
    /** Pages that the server reads from files per operation. */
    PAGES_READ("pages-read", Unit.NONE, false),
    /** How often an SQL node of a cluster waits for data nodes, per operation. */
    ROUND_TRIPS("round-trips", Unit.NONE, false),
    /** Bytes that the client receives from the socket per operation. */
    WIRE_IN("wire-in", Unit.BYTES, false),
    /** Bytes that the client sends to the socket per operation. */
    WIRE_OUT("wire-out", Unit.BYTES, false),
    /** Time of an operation from the last byte of a request to the first of its answer. */
    WAITING("waiting", Unit.NANOS, false),
    /** Time in calls of the socket that send, or receive after the first byte. */
    TRANSFER("transfer", Unit.NANOS, false),
    /** Time between calls of the socket, out of the codec. */
    CLIENT("client", Unit.NANOS, false),
    /** Time in the codec. */
    DECODE("decode", Unit.NANOS, false),
    /** How long the window took: of a window that is a number of operations. */
    ELAPSED("elapsed", Unit.NANOS, false),
    /** Bytes that the client allocates per operation. */
    ALLOCATION("allocation", Unit.BYTES, false),
    /** Application bytes ÷ stored bytes. */
    COMPRESSION_RATIO("compression-ratio", Unit.NONE, true),
    /** Allocated bytes of the table's files. */
    DISK("disk", Unit.BYTES, false);

    /** What a metric counts in. */
    public enum Unit {
        BYTES_PER_SECOND,
        PER_SECOND,
        NANOS,
        BYTES,
        NONE
    }

    private final String word;
    private final Unit unit;
    private final boolean higherIsBetter;

    Metric(String word, Unit unit, boolean higherIsBetter) {
        this.word = word;
        this.unit = unit;
        this.higherIsBetter = higherIsBetter;
    }

    /** As written in a study. */
    public String word() {
        return word;
    }

    public Unit unit() {
        return unit;
    }

    public boolean higherIsBetter() {
        return higherIsBetter;
    }

    public static Optional<Metric> find(String word) {
        return Arrays.stream(values()).filter(m -> m.word.equals(word)).findFirst();
    }

    /** All that a study may name, the usual headline first. */
    public static List<String> words() {
        return Arrays.stream(values()).map(Metric::word).toList();
    }
}
