package dev.blobmark.lab.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.SizeClass;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** A sample as its line in the file spells it: the components, in snake case, are the fields. */
record SampleLine(
        int schema,
        String trial,
        int block,
        int fork,
        int round,
        Instant startedAt,
        MethodField method,
        Levels condition,
        String outcome,
        String reason,
        List<String> flags,
        List<String> events,
        SortedMap<String, Long> errors,
        Optional<Sample.WarmUp> warmup,
        OptionalLong elapsedNs,
        SortedMap<String, OperationsField> operations,
        Optional<OpenLoopField> openLoop,
        OptionalLong diskBytes,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) OptionalLong diskUsedBytes,
        OptionalDouble clientCpuNsPerOp,
        OptionalDouble serverCpuNsPerOp,
        OptionalDouble pagesReadPerOp,
        OptionalDouble allocatedBytesPerOp,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) Optional<Sample.Beside> beside,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) SortedMap<String, String> pool,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Double> sqlNodes,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) Optional<Visits> visits,
        SortedMap<String, String> unknown) {

    static final int SCHEMA = 1;

    record MethodField(String id, Levels factors) {}

    record OperationsField(
            long count,
            double throughputBytesPerS,
            double operationsPerS,
            Sample.Latency latencyNs,
            long applicationBytes,
            OptionalLong wireBytesIn,
            OptionalLong wireBytesOut,
            OptionalLong storedBytes,
            Optional<Sample.Latency> responseNs,
            Optional<Sample.Spent> timeNs,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) SortedMap<String, OperationsField> bySize) {

        static OperationsField of(Sample.Operations o) {
            SortedMap<String, OperationsField> bySize = new TreeMap<>();
            o.bySize().forEach((size, its) -> bySize.put(size.toString(), of(its)));
            return new OperationsField(
                    o.count(),
                    o.throughputBytesPerSecond(),
                    o.operationsPerSecond(),
                    o.latency(),
                    o.applicationBytes(),
                    o.wireBytesIn(),
                    o.wireBytesOut(),
                    o.storedBytes(),
                    o.response(),
                    o.time(),
                    bySize);
        }

        Sample.Operations toOperations() {
            SortedMap<SizeClass, Sample.Operations> read = new TreeMap<>();
            if (bySize != null) { // it is not there where sizes are not told apart
                bySize.forEach((size, its) -> read.put(SizeClass.parse(size), its.toOperations()));
            }
            return new Sample.Operations(
                    count,
                    throughputBytesPerS,
                    operationsPerS,
                    latencyNs,
                    applicationBytes,
                    wireBytesIn,
                    wireBytesOut,
                    storedBytes,
                    responseNs,
                    timeNs,
                    read);
        }
    }

    record OpenLoopField(
            double ratePerS, long offered, long started, long completed, long dropped, Sample.Latency scheduleLagNs) {

        static OpenLoopField of(Sample.OpenLoop o) {
            return new OpenLoopField(
                    o.ratePerSecond(), o.offered(), o.started(), o.completed(), o.dropped(), o.scheduleLag());
        }

        Sample.OpenLoop toOpenLoop() {
            return new Sample.OpenLoop(ratePerS, offered, started, completed, dropped, scheduleLagNs);
        }
    }

    static SampleLine of(Sample s) {
        SortedMap<String, OperationsField> operations = new TreeMap<>();
        s.operations().forEach((type, o) -> operations.put(type, OperationsField.of(o)));
        return new SampleLine(
                SCHEMA,
                s.trial(),
                s.block(),
                s.fork(),
                s.round(),
                s.startedAt(),
                new MethodField(s.method(), s.methodLevels()),
                s.condition(),
                s.outcome().word(),
                s.outcome().reason(),
                s.flags(),
                s.events(),
                s.errors(),
                s.warmUp(),
                s.elapsedNanos(),
                operations,
                s.openLoop().map(OpenLoopField::of),
                s.diskBytes(),
                s.diskUsedBytes(),
                s.clientCpuNanosPerOp(),
                s.serverCpuNanosPerOp(),
                s.pagesReadPerOp(),
                s.allocatedBytesPerOp(),
                s.beside(),
                s.pool(),
                s.sqlNodes(),
                s.visits(),
                s.unknown());
    }

    /**
     * The sample of this line. A field that the writer did not know of yet is missing without a reason; it gets one
     * here.
     */
    Sample toSample() {
        if (schema != SCHEMA) {
            throw new IllegalArgumentException("schema " + schema + " is not the one this version reads, " + SCHEMA);
        }
        SortedMap<String, Sample.Operations> read = new TreeMap<>();
        operations.forEach((type, o) -> read.put(type, o.toOperations()));
        SortedMap<String, String> reasons = new TreeMap<>(unknown);
        Outcome ended = Outcome.of(outcome, reason);
        if (ended.isMeasurement()) {
            Set<String> missing = Sample.missing(
                    warmup,
                    elapsedNs,
                    read,
                    diskBytes,
                    clientCpuNsPerOp,
                    serverCpuNsPerOp,
                    pagesReadPerOp,
                    allocatedBytesPerOp);
            missing.forEach(field -> reasons.putIfAbsent(field, "not recorded"));
        }
        return new Sample(
                trial,
                block,
                fork,
                round,
                startedAt,
                method.id(),
                method.factors(),
                condition,
                ended,
                flags,
                events,
                errors,
                warmup,
                elapsedNs,
                read,
                openLoop.map(OpenLoopField::toOpenLoop),
                diskBytes,
                diskUsedBytes,
                clientCpuNsPerOp,
                serverCpuNsPerOp,
                pagesReadPerOp,
                allocatedBytesPerOp,
                beside,
                pool,
                sqlNodes,
                visits,
                reasons);
    }
}
