package dev.blobmark.report;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.blobmark.analysis.Analysis;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Manifest.MeasuredServer;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
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
 * All samples: a row for each type of operation, and a row for each size class if there are several. A sample without
 * figures has one row. Names and units are those of {@code samples.jsonl}; an unknown figure is an empty field. The
 * format is RFC 4180, except that lines end in single newlines.
 */
final class CsvTable {

    private static final Pattern FORMULA = Pattern.compile("[=+@\\t\\r-]");
    private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?(E-?\\d+)?|-Infinity");

    private CsvTable() {}

    static void write(Analysis report, Appendable out) throws IOException {
        write(rows(report), out);
    }

    /** @param rows each with the same columns in the same order */
    static void write(List<Map<String, String>> rows, Appendable out) throws IOException {
        StringWriter text = new StringWriter();
        try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(text)) {
            if (!rows.isEmpty()) {
                csv.writeRecord(cells(rows.get(0).keySet()));
            }
            rows.forEach(row -> csv.writeRecord(cells(row.values())));
        }
        out.append(text.getBuffer());
    }

    /** Text that a spreadsheet would take for a formula begins with a quote; numbers do not. */
    private static List<String> cells(Collection<String> row) {
        return row.stream()
                .map(cell -> FORMULA.matcher(cell).lookingAt()
                                && !NUMBER.matcher(cell).matches()
                        ? "'" + cell
                        : cell)
                .toList();
    }

    /** The rows, each with all columns in the same order; an unknown figure is an empty text. */
    static List<Map<String, String>> rows(Analysis report) {
        SortedSet<String> factors = report.samples().stream()
                .flatMap(s -> s.levels().byFactor().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        List<Map<String, String>> rows = new ArrayList<>();
        for (Sample sample : report.samples()) {
            for (Optional<String> operation : operations(sample)) {
                Optional<Operations> all = operation.map(sample.operations()::get);
                rows.add(row(report, sample, operation, all, Optional.empty(), factors));
                for (SizeClass size : all.isPresent() ? all.get().bySize().keySet() : Set.<SizeClass>of()) {
                    Sample part = sample.ofSize(size).orElseThrow();
                    rows.add(row(
                            report,
                            part,
                            operation,
                            operation.map(part.operations()::get),
                            Optional.of(size),
                            factors));
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
            Analysis report,
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
        row.put(
                "host",
                manifest.machine().host().cpu().orElse(manifest.machine().host().arch()));
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
        row.put("operation", text(operation));
        row.put("values", text(size));
        row.put("count", text(o.map(Operations::count)));
        for (Metric metric : Metric.values()) {
            row.put(
                    metric.field(),
                    text(operation.map(type -> s.value(metric, type)).orElse(OptionalDouble.empty())));
        }
        Optional<Operations.ByteCounts> bytes = o.map(Operations::bytes);
        row.put("application_bytes", text(bytes.map(Operations.ByteCounts::application)));
        row.put("stored_bytes", text(bytes.map(Operations.ByteCounts::stored)));
        row.put("wire_in_bytes", text(bytes.map(Operations.ByteCounts::wireIn)));
        row.put("wire_out_bytes", text(bytes.map(Operations.ByteCounts::wireOut)));
        Optional<TimeSpent> time = o.flatMap(Operations::time);
        row.put("unexplained_ns_per_op", text(time.map(TimeSpent::unexplained)));
        row.put("link_ns_per_op", text(time.map(TimeSpent::link)));
        row.put("rate_per_s", text(s.openLoop().map(OpenLoop::ratePerSecond)));
        row.put("offered", text(s.openLoop().map(OpenLoop::offered)));
        row.put("started", text(s.openLoop().map(OpenLoop::started)));
        row.put("completed", text(s.openLoop().map(OpenLoop::completed)));
        row.put("dropped", text(s.openLoop().map(OpenLoop::dropped)));
        Optional<Latency> lag = s.openLoop().map(OpenLoop::scheduleLag);
        row.put("schedule_lag_mean_ns", text(lag.map(Latency::mean)));
        row.put("schedule_lag_p50_ns", text(lag.map(Latency::p50)));
        row.put("schedule_lag_p90_ns", text(lag.map(Latency::p90)));
        row.put("schedule_lag_p95_ns", text(lag.map(Latency::p95)));
        row.put("schedule_lag_p99_ns", text(lag.map(Latency::p99)));
        row.put("schedule_lag_p999_ns", text(lag.map(Latency::p999)));
        row.put("schedule_lag_max_ns", text(lag.map(Latency::max)));
        row.put(
                "sql_nodes",
                s.resources().sqlNodes().stream().map(CsvTable::text).collect(Collectors.joining("; ")));
        return row;
    }

    static String text(Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.map(CsvTable::text).orElse("");
        }
        if (value instanceof OptionalLong optional) {
            return optional.isPresent() ? Long.toString(optional.getAsLong()) : "";
        }
        if (value instanceof OptionalDouble optional) {
            return optional.isPresent() ? number(optional.getAsDouble()) : "";
        }
        return value.toString();
    }

    /** Whole numbers have no point and no exponent if all their digits are known. */
    private static String number(double x) {
        return x == Math.rint(x) && Math.abs(x) < 1L << 53 ? Long.toString((long) x) : Double.toString(x);
    }
}
