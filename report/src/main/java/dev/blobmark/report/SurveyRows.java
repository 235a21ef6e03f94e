package dev.blobmark.report;

import dev.blobmark.analysis.survey.ColumnFinding;
import dev.blobmark.analysis.survey.EstimatedFigure;
import dev.blobmark.analysis.survey.SurveyFindings;
import dev.blobmark.lab.survey.LeftOut;
import dev.blobmark.lab.survey.SampleEncoding;
import dev.blobmark.lab.survey.SurveyDirectory;
import dev.blobmark.lab.survey.SurveyedColumn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A survey for programs: JSON, and CSV with a row for each column. Sizes are in bytes. */
final class SurveyRows {

    private static final int SCHEMA = 1;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    private SurveyRows() {}

    private record JsonSurvey(
            int schema,
            SurveyDirectory.Header survey,
            Optional<SurveyDirectory.SurveyEnd> end,
            long readBytes,
            double savingBytes,
            List<Map<String, Object>> columns,
            List<NotRead> notRead) {}

    private record NotRead(String column, String reason) {}

    static void json(SurveyFindings findings, Appendable out) throws IOException {
        JsonSurvey whole = new JsonSurvey(
                SCHEMA,
                findings.survey().header(),
                findings.end(),
                findings.survey().readBytes(),
                six(findings.saving()),
                findings.columns().stream()
                        .map(finding -> found(finding, findings))
                        .toList(),
                findings.notRead().stream()
                        .map(column ->
                                new NotRead(column.name(), column.notRead().orElseThrow()))
                        .toList());
        out.append(MAPPER.writeValueAsString(whole)).append('\n');
    }

    private static double six(double figure) {
        return JsonRankings.six(figure);
    }

    private static EstimatedFigure six(EstimatedFigure estimate) {
        return new EstimatedFigure(
                six(estimate.value()),
                estimate.interval()
                        .map(interval ->
                                new EstimatedFigure.EstimateInterval(six(interval.low()), six(interval.high()))));
    }

    private static Optional<Double> cost(ColumnFinding finding, SurveyFindings findings) {
        return findings.prices()
                .map(prices -> prices.storedMonth(finding.saving().value()))
                .filter(OptionalDouble::isPresent)
                .map(cost -> six(cost.getAsDouble()));
    }

    /** By the names of the form, in its order. */
    private static Map<String, Object> found(ColumnFinding finding, SurveyFindings findings) {
        SurveyedColumn column = finding.column();
        SurveyedColumn.ColumnSample sample = column.sample().orElseThrow();
        Map<String, Double> ratios = new LinkedHashMap<>();
        finding.ratios().forEach((codec, ratio) -> ratios.put(codec, six(ratio)));
        Map<String, Integer> kinds = new LinkedHashMap<>();
        sample.kinds().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(kind -> kinds.put(kind.getKey().word(), kind.getValue()));
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("column", column.name());
        found.put("type", column.type());
        found.put("compression", column.compression());
        found.put("table_rows", column.tableRows());
        found.put("table_bytes", column.tableBytes());
        found.put("values", sample.values());
        found.put("mean_bytes", six(finding.meanBytes()));
        found.put("median_bytes", sample.medianBytes());
        found.put("bytes", Math.round(finding.now()));
        found.put("codec", finding.codec());
        found.put("ratio", six(finding.ratio()));
        found.put("saving_bytes", six(finding.saving()));
        found.put("saving_cost_month", cost(finding, findings));
        found.put("ratios", ratios);
        found.put(
                "dictionary_ratio",
                finding.dictionaryRatio().isPresent()
                        ? OptionalDouble.of(six(finding.dictionaryRatio().getAsDouble()))
                        : OptionalDouble.empty());
        found.put("kinds", kinds);
        found.put("skipped", sample.skipped());
        found.put("worth_a_look", finding.isWorthALook());
        return found;
    }

    /** Columns with a sample first, then what was not read. */
    static void csv(SurveyFindings findings, Appendable out) throws IOException {
        List<Map<String, String>> rows = new ArrayList<>();
        findings.columns().forEach(finding -> rows.add(row(finding, findings)));
        findings.notRead()
                .forEach(column -> rows.add(row(
                        column.schema(),
                        column.table(),
                        column.column(),
                        column.type(),
                        column.notRead().orElseThrow())));
        for (LeftOut left : findings.survey().header().leftOut()) {
            rows.add(row(left.schema(), left.table().orElse(""), left.column().orElse(""), "", left.reason()));
        }
        CsvTable.write(rows, out);
    }

    private static final List<String> FIGURES = List.of(
            "table_rows",
            "table_bytes",
            "values",
            "mean_bytes",
            "median_bytes",
            "bytes",
            "codec",
            "ratio",
            "ratio_low",
            "ratio_high",
            "saving_bytes",
            "saving_bytes_low",
            "saving_bytes_high",
            "saving_cost_month",
            "dictionary_ratio");

    private static Map<String, String> row(String schema, String table, String column, String type, String notRead) {
        Map<String, String> row = new LinkedHashMap<>();
        row.put("schema", schema);
        row.put("table", table);
        row.put("column", column);
        row.put("type", type);
        row.put("not_read", notRead);
        row.put("kind", "");
        row.put("compression", "");
        FIGURES.forEach(figure -> row.put(figure, ""));
        SampleEncoding.CODECS.forEach(codec -> row.put("ratio_" + codec.replace(':', '_'), ""));
        return row;
    }

    private static Map<String, String> row(ColumnFinding finding, SurveyFindings findings) {
        SurveyedColumn column = finding.column();
        SurveyedColumn.ColumnSample sample = column.sample().orElseThrow();
        Map<String, String> row = row(column.schema(), column.table(), column.column(), column.type(), "");
        row.put("kind", SurveyDocument.kind(finding));
        row.put("compression", column.compression());
        List<String> figures = Stream.of(
                        Optional.of((double) column.tableRows()),
                        Optional.of((double) column.tableBytes()),
                        Optional.of((double) sample.values()),
                        Optional.of(finding.meanBytes()),
                        Optional.of((double) sample.medianBytes()),
                        Optional.of((double) Math.round(finding.now())),
                        Optional.<Double>empty(),
                        Optional.of(finding.ratio().value()),
                        finding.ratio().interval().map(EstimatedFigure.EstimateInterval::low),
                        finding.ratio().interval().map(EstimatedFigure.EstimateInterval::high),
                        Optional.of(finding.saving().value()),
                        finding.saving().interval().map(EstimatedFigure.EstimateInterval::low),
                        finding.saving().interval().map(EstimatedFigure.EstimateInterval::high),
                        cost(finding, findings),
                        finding.dictionaryRatio().isPresent()
                                ? Optional.of(finding.dictionaryRatio().getAsDouble())
                                : Optional.<Double>empty())
                .map(figure -> figure.map(SurveyRows::text).orElse(""))
                .toList();
        for (int i = 0; i < FIGURES.size(); i++) {
            row.put(FIGURES.get(i), figures.get(i));
        }
        row.put("codec", finding.codec());
        finding.ratios().forEach((codec, ratio) -> row.put("ratio_" + codec.replace(':', '_'), text(ratio)));
        return row;
    }

    /** Whole numbers without a point. */
    private static String text(double figure) {
        double rounded = six(figure);
        return rounded == Math.rint(rounded) && Math.abs(rounded) < 1e15
                ? Long.toString((long) rounded)
                : Double.toString(rounded);
    }
}
