package dev.blobmark.report;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Manifest.MeasuredServer;
import dev.blobmark.lab.run.Sample;
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
                .flatMap(s -> s.methodLevels().with(s.condition()).byFactor().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        List<Map<String, String>> rows = new ArrayList<>();
        for (Sample sample : report.samples()) {
            for (Optional<String> operation : operations(sample)) {
                Optional<Sample.Operations> all = operation.map(sample.operations()::get);
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
            Optional<Sample.Operations> o,
            Optional<SizeClass> size,
            SortedSet<String> factors) {
        Manifest manifest = report.manifest();
        Optional<MeasuredServer> server = report.server(s);
        Levels levels = s.methodLevels().with(s.condition());
        Map<String, String> row = new LinkedHashMap<>();
        row.put("study", manifest.study().name());
        row.put("host", manifest.host().cpu().orElse(manifest.host().arch()));
        row.put("server_kind", text(server.map(MeasuredServer::kind)));
        row.put("server_product", text(server.map(MeasuredServer::product)));
        row.put("server_version", text(server.map(MeasuredServer::version)));
        row.put("trial", s.trial());
        row.put("block", text(s.block()));
        row.put("fork", text(s.fork()));
        row.put("round", text(s.round()));
        row.put("started_at", text(s.startedAt()));
        row.put("method", s.method());
        factors.forEach(factor -> row.put("factor." + factor, text(levels.find(factor))));
        row.put("outcome", s.outcome().word());
        row.put("reason", s.outcome().reason());
        row.put("flags", String.join("; ", s.flags()));
        row.put("events", String.join("; ", s.events()));
        row.put(
                "errors",
                s.errors().entrySet().stream()
                        .map(error -> error.getKey() + "=" + error.getValue())
                        .collect(Collectors.joining("; ")));
        row.put("warmup_seconds", text(s.warmUp().map(Sample.WarmUp::seconds)));
        row.put("warmup_steady", text(s.warmUp().map(Sample.WarmUp::steady)));
        row.put("elapsed_ns", text(s.elapsedNanos()));
        row.put("operation", text(operation));
        row.put("values", text(size));
        row.put("count", text(o.map(Sample.Operations::count)));
        row.put("throughput_bytes_per_s", text(o.map(Sample.Operations::throughputBytesPerSecond)));
        row.put("operations_per_s", text(o.map(Sample.Operations::operationsPerSecond)));
        latency(row, "latency_ns", o.map(Sample.Operations::latency));
        latency(row, "response_ns", o.flatMap(Sample.Operations::response));
        row.put("application_bytes", text(o.map(Sample.Operations::applicationBytes)));
        row.put("wire_bytes_in", text(o.map(Sample.Operations::wireBytesIn)));
        row.put("wire_bytes_out", text(o.map(Sample.Operations::wireBytesOut)));
        row.put("stored_bytes", text(o.map(Sample.Operations::storedBytes)));
        Optional<Sample.Spent> time = o.flatMap(Sample.Operations::time);
        row.put("time_ns_waiting", text(time.map(Sample.Spent::waiting)));
        row.put("time_ns_transfer", text(time.map(Sample.Spent::transfer)));
        row.put("time_ns_client", text(time.map(Sample.Spent::client)));
        row.put("time_ns_decode", text(time.map(Sample.Spent::decode)));
        row.put("time_ns_pool", text(time.map(Sample.Spent::pool)));
        row.put("time_ns_unexplained", text(time.map(Sample.Spent::unexplained)));
        row.put("time_ns_link", text(time.map(Sample.Spent::link)));
        row.put("rate_per_s", text(s.openLoop().map(Sample.OpenLoop::ratePerSecond)));
        row.put("offered", text(s.openLoop().map(Sample.OpenLoop::offered)));
        row.put("started", text(s.openLoop().map(Sample.OpenLoop::started)));
        row.put("completed", text(s.openLoop().map(Sample.OpenLoop::completed)));
        row.put("dropped", text(s.openLoop().map(Sample.OpenLoop::dropped)));
        latency(row, "schedule_lag_ns", s.openLoop().map(Sample.OpenLoop::scheduleLag));
        row.put("disk_bytes", text(s.diskBytes()));
        row.put("disk_used_bytes", text(s.diskUsedBytes()));
        row.put("client_cpu_ns_per_op", text(s.clientCpuNanosPerOp()));
        row.put("server_cpu_ns_per_op", text(s.serverCpuNanosPerOp()));
        row.put("pages_read_per_op", text(s.pagesReadPerOp()));
        row.put(
                "round_trips_per_op",
                text(operation.map(type -> s.value(Metric.ROUND_TRIPS, type)).orElse(OptionalDouble.empty())));
        row.put("allocated_bytes_per_op", text(s.allocatedBytesPerOp()));
        row.put("sql_nodes", s.sqlNodes().stream().map(CsvTable::text).collect(Collectors.joining("; ")));
        return row;
    }

    private static void latency(Map<String, String> row, String name, Optional<Sample.Latency> latency) {
        row.put(name + "_mean", text(latency.map(Sample.Latency::mean)));
        row.put(name + "_p50", text(latency.map(Sample.Latency::p50)));
        row.put(name + "_p90", text(latency.map(Sample.Latency::p90)));
        row.put(name + "_p95", text(latency.map(Sample.Latency::p95)));
        row.put(name + "_p99", text(latency.map(Sample.Latency::p99)));
        row.put(name + "_p999", text(latency.map(Sample.Latency::p999)));
        row.put(name + "_max", text(latency.map(Sample.Latency::max)));
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
