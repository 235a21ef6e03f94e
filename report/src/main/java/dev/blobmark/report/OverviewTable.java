package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Judgement;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.report.document.Block;
import dev.blobmark.report.document.Block.Detail;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Sign;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** All methods under all conditions: the effect of each with the sign of its verdict. */
final class OverviewTable {

    /** With more conditions, each is a row instead of a column. */
    private static final int MOST_COLUMNS = 7;

    private final List<Ranking> rankings;
    private final Set<String> varying;
    private final LevelWords words;

    private OverviewTable(Analysis report) {
        rankings = report.rankings().stream()
                .filter(ranking -> ranking.sizes().isEmpty() && ranking.best().isPresent())
                .toList();
        varying = Captions.distinguishing(report.rankings());
        words = LevelWords.of(report);
    }

    /** The table and how to read it; nothing without a figure. */
    static List<Block> of(Analysis report) {
        OverviewTable table = new OverviewTable(report);
        return table.rankings.isEmpty()
                ? List.of()
                : List.of(
                        table.methods().size() > 1 && table.rankings.size() > MOST_COLUMNS
                                ? table.byCondition()
                                : table.byMethod(),
                        table.reading());
    }

    private List<String> methods() {
        Set<String> methods = new LinkedHashSet<>();
        rankings.forEach(ranking -> ranking.rows().stream()
                .map(Row::method)
                .filter(method -> !ranking.control().equals(Optional.of(method)))
                .forEach(methods::add));
        rankings.forEach(ranking -> ranking.unranked().forEach(unranked -> methods.add(unranked.method())));
        return List.copyOf(methods);
    }

    private Table byMethod() {
        List<String> methods = methods();
        List<String> heads = new ArrayList<>(List.of("best"));
        heads.addAll(methods);
        List<Column> columns = new ArrayList<>();
        columns.add(Column.text("method", heads, head -> head));
        for (Ranking ranking : rankings) {
            columns.add(Column.text(
                            Captions.name(ranking, varying, words),
                            heads,
                            method -> method.equals("best") ? best(ranking) : cell(ranking, method))
                    .signed(heads, method -> sign(ranking, method)));
        }
        List<Tone> tones = new ArrayList<>(Table.of(columns).rows());
        tones.set(0, Tone.STRONG);
        return new Table(columns, tones, List.of());
    }

    private Table byCondition() {
        List<Column> columns = new ArrayList<>();
        columns.add(Column.text("condition", rankings, ranking -> Captions.name(ranking, varying, words)));
        columns.add(Column.text("best", rankings, OverviewTable::best));
        for (String method : methods()) {
            columns.add(Column.text(method, rankings, ranking -> cell(ranking, method))
                    .signed(rankings, ranking -> sign(ranking, method)));
        }
        return Table.of(columns);
    }

    /** {@code lz4}, or {@code lz4 or 2 others}. */
    private static String best(Ranking ranking) {
        Row best = Answer.recommended(ranking).orElseThrow();
        return best.method()
                + (!Answer.isSmallestOfEqual(ranking) && !ranking.rivals().isEmpty()
                        ? " or " + Figures.plural(ranking.rivals().size(), "other")
                        : "");
    }

    private static String cell(Ranking ranking, String method) {
        if (method.equals(ranking.baseline())) {
            return "1 ×";
        }
        return ranking.find(method)
                .map(row -> row.toBaseline()
                        .map(Judgement::effect)
                        .map(effect -> Figures.ratio(effect.ratio()) + " ×")
                        .orElse("not compared"))
                .orElseGet(() -> ranking.unranked().stream()
                        .filter(unranked -> unranked.method().equals(method))
                        .map(unranked -> unranked.outcome().word())
                        .findFirst()
                        .orElse(""));
    }

    private static Sign sign(Ranking ranking, String method) {
        return ranking.find(method).map(row -> RankingTable.sign(ranking, row)).orElse(Sign.NONE);
    }

    private Block reading() {
        Ranking first = rankings.get(0);
        String better = RankingTable.isSpeed(first.metric()) ? "faster" : "better";
        String worse = RankingTable.isSpeed(first.metric()) ? "slower" : "worse";
        return new Detail(
                "Each cell is the " + first.metric().noun() + " of a method, as a multiple of that of "
                        + first.baseline()
                        + ", the baseline that all are compared with. ▲ " + better + ", ▼ " + worse
                        + ", = no difference that matters, ? not decided."
                        + " Best: with others, if the run cannot distinguish them.",
                Tone.FACT);
    }
}
