package dev.blobmark.report;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.blobmark.lab.run.Latency;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Manifest.MeasuredServer;
import dev.blobmark.lab.run.OpenLoop;
import dev.blobmark.lab.run.Operations;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.TimeSpent;
import dev.blobmark.lab.run.WarmUp;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Metric;
import dev.blobmark.lab.study.SizeClass;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * All samples, one row for each operation type of each, and one for each size class of its values if there are several; a sample without figures has one row. Names and units are those of
 * {@code samples.jsonl}; an unknown figure is an empty field. RFC 4180 but for the line ends, which are single newlines.
 */
final class CsvTable {

    private static final Pattern FORMULA = Pattern.compile("[=+@\\t\\r-]");
    private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?(E-?\\d+)?|-Infinity");

    private CsvTable() {}

    static void write(Report report, Appendable out) throws IOException {
        StringWriter text = new StringWriter();
        try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(text)) {
            List<Map<String, String>> rows = rows(report);
            if (!rows.isEmpty()) {
                csv.writeRecord(cells(rows.get(0).keySet()));
            }
            rows.forEach(row -> csv.writeRecord(cells(row.values())));
        }
        out.append(text.getBuffer());
    }

    /** Texts that a spreadsheet would take for a formula begin with a quote, as it would write them itself; numbers stay. */
    static List<String> cells(Collection<String> row) {
        return row.stream()
                .map(cell -> FORMULA.matcher(cell).lookingAt()
                                && !NUMBER.matcher(cell).matches()
                        ? "'" + cell
                        : cell)
                .toList();
    }

    /** Its rows, each with all columns in their order; what is not known is an empty text. */
    static List<Map<String, String>> rows(Report report) {
        SortedSet<String> factors = report.samples().stream()
                .flatMap(s -> s.levels().byFactor().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        List<Map<String, String>> rows = new ArrayList<>();
        for (Sample sample : report.samples()) {
            for (Optional<String> operation : operations(sample)) {
                Optional<Operations> all = operation.map(sample.operations()::get);
                rows.add(row(report, sample, operation, all, Optional.empty(), factors));
                for (SizeClass size : all.isPresent() ? all.get().bySize().keySet() : Set.<SizeClass>of()) {
                    Sample its = sample.ofSize(size).orElseThrow();
                    rows.add(row(
                            report, its, operation, operation.map(its.operations()::get), Optional.of(size), factors));
                }
            }
        }
        return rows;
    }

    private static Collection<Optional<String>> operations(Sample sample) {
        List<Optional<String>> types = new ArrayList<>();
        sample.operations().keySet().forEach(type -> types.add(Optional.of(type)));
        return types.isEmpty() ? List.of(Optional.empty()) : types;
    }

    private static Map<String, String> row(
            Report report,
            Sample s,
            Optional<String> operation,
            Optional<Operations> o,
            Optional<SizeClass> size,
            SortedSet<String> factors) {
        Manifest manifest = report.manifest();
        Optional<MeasuredServer> server = report.server(s);
        Levels levels = s.levels();
        Map<String, String> row = new LinkedHashMap<>();
        row.put("study", manifest.study().name());
        row.put("host", manifest.host().cpu().orElse(manifest.host().arch()));
        row.put("server_kind", text(server.map(MeasuredServer::kind)));
        row.put("server_product", text(server.map(MeasuredServer::product)));
        row.put("server_version", text(server.map(MeasuredServer::version)));
        row.put("trial", s.trial().id());
        row.put("block", text(s.block()));
        row.put("fork", text(s.fork()));
        row.put("round", text(s.round()));
        row.put("started_at", text(s.position().startedAt()));
        row.put("method", s.method());
        factors.forEach(factor -> row.put("factor." + factor, text(levels.find(factor))));
        row.put("outcome", s.outcome().word());
        row.put("reason", s.outcome().reason());
        row.put("flags", String.join("; ", s.flags()));
        row.put("events", String.join("; ", s.events()));
        row.put(
                "errors",
                s.remarks().errors().entrySet().stream()
                        .map(error -> error.getKey() + "=" + error.getValue())
                        .collect(Collectors.joining("; ")));
        row.put("warmup_seconds", text(s.warmUp().map(WarmUp::seconds)));
        row.put("warmup_steady", text(s.warmUp().map(WarmUp::steady)));
        row.put("elapsed_ns", text(s.resources().elapsedNanos()));
        row.put("operation", text(operation));
        row.put("values", text(size));
        row.put("count", text(o.map(Operations::count)));
        row.put("throughput_bytes_per_s", text(o.map(Operations::throughputBytesPerSecond)));
        row.put("operations_per_s", text(o.map(Operations::operationsPerSecond)));
        latency(row, "latency_ns", o.map(Operations::latency));
        latency(row, "response_ns", o.flatMap(Operations::response));
        row.put("application_bytes", text(o.map(Operations::applicationBytes)));
        row.put("wire_bytes_in", text(o.map(Operations::wireBytesIn)));
        row.put("wire_bytes_out", text(o.map(Operations::wireBytesOut)));
        row.put("stored_bytes", text(o.map(Operations::storedBytes)));
        Optional<TimeSpent> time = o.flatMap(Operations::time);
        row.put("time_ns_waiting", text(time.map(TimeSpent::waiting)));
        row.put("time_ns_transfer", text(time.map(TimeSpent::transfer)));
        row.put("time_ns_client", text(time.map(TimeSpent::client)));
        row.put("time_ns_decode", text(time.map(TimeSpent::decode)));
        row.put("time_ns_pool", text(time.map(TimeSpent::pool)));
        row.put("time_ns_unexplained", text(time.map(TimeSpent::unexplained)));
        row.put("time_ns_link", text(time.map(TimeSpent::link)));
        row.put("rate_per_s", text(s.openLoop().map(OpenLoop::ratePerSecond)));
        row.put("offered", text(s.openLoop().map(OpenLoop::offered)));
        row.put("started", text(s.openLoop().map(OpenLoop::started)));
        row.put("completed", text(s.openLoop().map(OpenLoop::completed)));
        row.put("dropped", text(s.openLoop().map(OpenLoop::dropped)));
        latency(row, "schedule_lag_ns", s.openLoop().map(OpenLoop::scheduleLag));
        row.put("disk_bytes", text(s.disk().allocatedBytes()));
        row.put("disk_used_bytes", text(s.disk().usedBytes()));
        row.put("client_cpu_ns_per_op", text(s.resources().clientCpuNanosPerOp()));
        row.put("server_cpu_ns_per_op", text(s.resources().serverCpuNanosPerOp()));
        row.put("pages_read_per_op", text(s.resources().pagesReadPerOp()));
        row.put(
                "round_trips_per_op",
                text(operation.map(type -> s.value(Metric.ROUND_TRIPS, type)).orElse(OptionalDouble.empty())));
        row.put("allocated_bytes_per_op", text(s.resources().allocatedBytesPerOp()));
        row.put(
                "sql_nodes",
                s.resources().sqlNodes().stream().map(CsvTable::text).collect(Collectors.joining("; ")));
        return row;
    }

    private static void latency(Map<String, String> row, String name, Optional<Latency> latency) {
        row.put(name + "_mean", text(latency.map(Latency::mean)));
        row.put(name + "_p50", text(latency.map(Latency::p50)));
        row.put(name + "_p90", text(latency.map(Latency::p90)));
        row.put(name + "_p95", text(latency.map(Latency::p95)));
        row.put(name + "_p99", text(latency.map(Latency::p99)));
        row.put(name + "_p999", text(latency.map(Latency::p999)));
        row.put(name + "_max", text(latency.map(Latency::max)));
    }

    private static String text(Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.map(CsvTable::text).orElse("");
        }
        if (value instanceof OptionalLong optional) {
            return optional.isPresent() ? Long.toString(optional.getAsLong()) : "";
        }
        if (value instanceof OptionalDouble optional) {
            return optional.isPresent() ? Double.toString(optional.getAsDouble()) : "";
        }
        return value.toString();
    }
}
