package dev.blobmark.report;

import dev.blobmark.analysis.Summary;
import dev.blobmark.lab.run.Program;
import dev.blobmark.report.JmhResults.JmhResult;
import dev.blobmark.report.document.Block.Chart;
import dev.blobmark.report.document.Block.Fact;
import dev.blobmark.report.document.Block.Facts;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Results of JMH as a run of the page.
 *
 * @param file the name of the file
 */
record JmhPage(String file, List<JmhResult> results) {

    private static final double LEVEL = 0.999;

    private static final String SCORE = "score";

    private static final String LEGEND =
            "Scores and intervals are those that JMH has computed: a t interval of 99.9 % over all iterations of all forks. Two"
                    + " scores whose intervals overlap are not distinguished.";

    PageRun toPage() {
        Map<List<Object>, List<JmhResult>> groups = results.stream()
                .collect(Collectors.groupingBy(
                        result -> List.of(result.params(), result.operation()),
                        LinkedHashMap::new,
                        Collectors.toList()));
        List<JsonRankings.RankingForm> rankings = new ArrayList<>();
        List<PageRun.RankingPart> parts = new ArrayList<>();
        List<Section> sections = new ArrayList<>();
        groups.values().forEach(group -> {
            List<JmhResult> sorted = sorted(group);
            rankings.add(ranking(sorted));
            parts.add(new PageRun.RankingPart(
                    name(sorted), name(sorted), Map.of(), false, sorted.get(0).higherIsBetter()));
            sections.add(Section.of(
                    name(sorted),
                    List.of(new Sentence(rankings.get(rankings.size() - 1).answer(), Tone.STRONG), table(sorted))));
        });
        List<Map<String, String>> rows = rows();
        return new PageRun(
                file,
                new PageText(
                        "Which benchmark has the best score?",
                        headline(rankings),
                        file,
                        new Document(List.of(Section.untitled(new Chart()))),
                        new Document(sections),
                        Optional.empty(),
                        new Document(List.of(Section.of("What was measured, and how", List.of(facts(), legend()))))),
                new JsonRankings.ReportForm(
                        JsonRankings.SCHEMA,
                        Program.of(""),
                        new JsonRankings.StudyForm(
                                file, "", SCORE, results.get(0).higherIsBetter(), "", Optional.empty()),
                        headline(rankings),
                        new JsonRankings.ProgressForm("finished", rows.size(), rows.size()),
                        0,
                        rankings,
                        List.of(),
                        List.of()),
                parts,
                List.of(),
                List.of(),
                new PageRun.Data(
                        file,
                        false,
                        results.stream().map(JmhResult::benchmark).distinct().toList(),
                        Map.of(),
                        scores(),
                        PackedRows.of(rows)));
    }

    private Facts facts() {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact("Read from", file, Tone.PLAIN));
        results.get(0)
                .jvm()
                .forEach((what, text) -> facts.add(new Fact(
                        what,
                        results.stream()
                                .map(result -> result.jvm().get(what))
                                .distinct()
                                .collect(Collectors.joining("; ")),
                        Tone.PLAIN)));
        return new Facts(facts);
    }

    private static Sentence legend() {
        return new Sentence(LEGEND, Tone.FACT);
    }

    private static List<JmhResult> sorted(List<JmhResult> group) {
        Comparator<JmhResult> rising = Comparator.comparingDouble(JmhResult::score);
        return group.stream()
                .sorted(group.get(0).higherIsBetter() ? rising.reversed() : rising)
                .toList();
    }

    private static String headline(List<JsonRankings.RankingForm> rankings) {
        if (rankings.size() == 1) {
            return rankings.get(0).answer();
        }
        Map<String, Long> wins = rankings.stream()
                .collect(Collectors.groupingBy(
                        ranking -> ranking.lead().best().orElseThrow(), LinkedHashMap::new, Collectors.counting()));
        String leader = wins.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
        long more = rankings.stream()
                .filter(ranking -> ranking.lead().tiedWithBest().contains(leader))
                .count();
        return leader + " has the best score under " + wins.get(leader) + " of " + rankings.size() + " conditions"
                + (more == 0 ? "" : ", and is statistically tied with the best under " + more + " more") + ".";
    }

    private static JsonRankings.RankingForm ranking(List<JmhResult> sorted) {
        JmhResult best = sorted.get(0);
        List<String> ties = sorted.stream()
                .skip(1)
                .filter(best::meets)
                .map(JmhResult::benchmark)
                .toList();
        String place = best.params().byFactor().size() > 1
                ? " (" + best.params().toString().replace(",", ", ") + ")"
                : "";
        return new JsonRankings.RankingForm(
                new JsonRankings.SubjectForm(
                        best.params(), best.operation(), SCORE, Optional.empty(), Optional.empty()),
                best.benchmark() + " has the best score" + place + ": " + figure(best)
                        + (ties.isEmpty() ? "" : "; statistically tied with " + Figures.enumerate(ties)) + ".",
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                // scores are compared only with the best
                new JsonRankings.LeadForm(Optional.of(best.benchmark()), ties, List.of()),
                sorted.stream().map(JmhPage::method).toList(),
                List.of());
    }

    private static JsonRankings.MethodForm method(JmhResult result) {
        List<Double> all = result.raw().stream()
                .flatMap(List::stream)
                .filter(Double::isFinite)
                .toList();
        Summary spread =
                all.isEmpty() ? new Summary(result.score(), result.score(), result.score(), 1) : Summary.of(all);
        boolean hasError = !Double.isNaN(result.error());
        return JsonRankings.MethodForm.ofScore(
                result.benchmark(),
                result.score(),
                new JsonRankings.SpreadForm(spread.rounds(), spread.median(), spread.min(), spread.max()),
                new JsonRankings.EstimateForm(
                        result.score(),
                        hasError
                                ? Optional.of(new JsonRankings.IntervalForm(
                                        result.score() - result.error(),
                                        result.score() + result.error(),
                                        LEVEL,
                                        1,
                                        "iteration",
                                        all.size()))
                                : Optional.empty(),
                        hasError ? "" : "JMH has no error"));
    }

    private static String figure(JmhResult result) {
        return number(result.score()) + (Double.isNaN(result.error()) ? "" : " ± " + number(result.error())) + " "
                + result.unit();
    }

    private static String name(List<JmhResult> sorted) {
        return sorted.get(0).operation() + ": "
                + sorted.get(0).params().toString().replace(",", ", ");
    }

    private static Table table(List<JmhResult> sorted) {
        return Table.of(List.of(
                Column.text("benchmark", sorted, JmhResult::benchmark),
                Column.number(SCORE, sorted.get(0).unit(), sorted, result -> number(result.score())),
                Column.number(
                        "± 99.9 %",
                        sorted.get(0).unit(),
                        sorted,
                        result -> Double.isNaN(result.error()) ? "" : number(result.error()))));
    }

    private List<Map<String, String>> rows() {
        Set<String> params = new LinkedHashSet<>();
        Set<String> secondary = new LinkedHashSet<>();
        results.forEach(result -> {
            params.addAll(result.params().byFactor().keySet());
            secondary.addAll(result.secondary().keySet());
        });
        List<Map<String, String>> rows = new ArrayList<>();
        for (JmhResult result : results) {
            List<List<Double>> raw = result.raw().isEmpty() ? List.of(List.of(result.score())) : result.raw();
            for (int fork = 0; fork < raw.size(); fork++) {
                for (int round = 0; round < raw.get(fork).size(); round++) {
                    Map<String, String> row = new LinkedHashMap<>();
                    row.put("method", result.benchmark());
                    params.forEach(param -> row.put(
                            "factor." + param, result.params().find(param).orElse("")));
                    row.put("operation", result.operation());
                    row.put("values", "");
                    row.put("outcome", "measured");
                    row.put("reason", "");
                    row.put("fork", Integer.toString(fork));
                    row.put("round", Integer.toString(round));
                    row.put("count", "1");
                    double score = raw.get(fork).get(round);
                    row.put(SCORE, Double.isFinite(score) ? Double.toString(score) : "");
                    secondary.forEach(name -> row.put(
                            name,
                            Optional.ofNullable(result.secondary().get(name))
                                    .filter(Double::isFinite)
                                    .map(value -> Double.toString(value))
                                    .orElse("")));
                    rows.add(row);
                }
            }
        }
        return rows;
    }

    private List<PageRun.MetricForm> scores() {
        List<PageRun.MetricForm> scores = new ArrayList<>();
        List<String> units = results.stream().map(JmhResult::unit).distinct().toList();
        scores.add(PageRun.MetricForm.ofScore(
                SCORE,
                SCORE,
                units.size() == 1 ? units.get(0) : "",
                results.get(0).higherIsBetter()));
        results.stream()
                .flatMap(result -> result.secondary().keySet().stream())
                .distinct()
                .forEach(name -> scores.add(PageRun.MetricForm.ofScore(name, name, "", false)));
        return scores;
    }

    /** Three significant digits, however small: scores may be operations per nanosecond. */
    private static String number(double score) {
        return score != 0 && Math.abs(score) < 1e-3 ? String.format(Locale.ROOT, "%.2e", score) : Figures.number(score);
    }
}
