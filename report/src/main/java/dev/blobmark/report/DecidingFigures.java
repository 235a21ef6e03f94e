package dev.blobmark.report;

import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Ranking.PerKey;
import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.report.document.Block.Tile;
import dev.blobmark.report.document.Block.Tiles;
import dev.blobmark.report.document.Sign;
import dev.blobmark.stats.Percentile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;

/** The figures that a choice depends on: time, size, wire and writing of the method that the answer names. */
final class DecidingFigures {

    /** Smaller differences in size are none. */
    private static final double NOTABLE = 1.05;

    private final Ranking ranking;
    private final Row best;
    private final Optional<Row> base;
    private final List<Tile> tiles = new ArrayList<>();

    private DecidingFigures(Ranking ranking, Row best) {
        this.ranking = ranking;
        this.best = best;
        base = ranking.find(ranking.baseline()).filter(row -> row != best);
    }

    /**
     * @param number of the ranking
     * @param ranking in which something was measured
     * @param name of the ranking
     */
    static Tiles of(int number, Ranking ranking, String name, boolean isShown) {
        return new DecidingFigures(ranking, Answer.recommended(ranking).orElseThrow()).tiles(number, name, isShown);
    }

    private Tiles tiles(int number, String name, boolean isShown) {
        time();
        if (ranking.isOfSets()) {
            perKey("Memory", PerKey::memory);
            perKey("Disk", PerKey::used);
        } else {
            size();
        }
        wire();
        writing();
        return new Tiles(
                number,
                best.method() + (base.isPresent() ? " against " + ranking.baseline() : "")
                        + (best.method().equals(ranking.baseline())
                                ? ", the baseline that others are compared with"
                                : "")
                        + " (" + name + ")",
                tiles,
                isShown);
    }

    private void time() {
        Function<Row, Optional<Double>> median =
                row -> Optional.ofNullable(row.percentiles().get(Metric.P50)).map(Percentile::value);
        Sign sign = RankingTable.sign(ranking, best);
        if (median.apply(best).isPresent()) {
            add(operation() + ", median time", median.andThen(time -> time.map(RankingNotes::time)), "", sign);
        } else {
            Function<Row, String> amount = row -> Figures.amount(ranking.metric(), row.figure(ranking.metric()));
            add(capital(ranking.metric().noun()), amount.andThen(Optional::of), "", sign);
        }
    }

    private String operation() {
        return switch (ranking.operation()) {
            case "fetch" -> "Read";
            case "membership" -> "Look-up";
            default -> capital(Figures.operation(ranking.operation(), ranking.condition()));
        };
    }

    /** Stored bytes as a share of the value's. */
    private void size() {
        Function<Row, OptionalDouble> ratio = row -> row.median(Metric.COMPRESSION_RATIO);
        OptionalDouble disk = ranking.diskShare(best);
        add(
                "Size, of the value's bytes",
                row -> text(ratio.apply(row), x -> Figures.percent(1 / x)),
                base.isPresent() && disk.isPresent()
                        ? "; on disk " + Figures.percent(disk.getAsDouble()) + " of that"
                        : "",
                smaller(row -> reciprocal(ratio.apply(row))));
    }

    private void perKey(String head, Function<PerKey, OptionalDouble> bytes) {
        Function<Row, OptionalDouble> figure =
                row -> row.stored().perKey().map(bytes).orElse(OptionalDouble.empty());
        add(head + " per key", row -> text(figure.apply(row), x -> Figures.number(x) + " bytes"), "", smaller(figure));
    }

    private void wire() {
        add(
                "Network, per operation",
                row -> text(row.wireBytes(), x -> Figures.amount(Metric.WIRE_IN, x)),
                "",
                smaller(Row::wireBytes));
    }

    /** Time of one core to encode the bytes of an operation, which is one value. */
    private void writing() {
        OptionalDouble bytesPerSecond = best.stored().encodedBytesPerSecond();
        OptionalDouble rate = best.median(Metric.THROUGHPUT);
        OptionalDouble operations = best.median(Metric.OPERATIONS);
        if (bytesPerSecond.isPresent() && rate.isPresent() && operations.orElse(0) > 0) {
            double nanos = rate.getAsDouble() / operations.getAsDouble() / bytesPerSecond.getAsDouble() * 1e9;
            tiles.add(new Tile(
                    "Write, time to encode",
                    RankingNotes.time(nanos),
                    base.filter(row -> row.stored().encodedBytesPerSecond().isEmpty())
                                    .isPresent()
                            ? ranking.baseline() + ": nothing to encode"
                            : "of one core",
                    Sign.NONE));
        }
    }

    /** Adds a tile if the figure of the method is known. */
    private void add(String head, Function<Row, Optional<String>> figure, String more, Sign sign) {
        figure.apply(best)
                .ifPresent(text -> tiles.add(new Tile(
                        head,
                        text,
                        base.flatMap(row -> figure.apply(row).map(other -> row.method() + ": " + other))
                                        .orElse("")
                                + more,
                        sign)));
    }

    private Sign smaller(Function<Row, OptionalDouble> bytes) {
        OptionalDouble own = bytes.apply(best);
        OptionalDouble other = base.map(bytes).orElse(OptionalDouble.empty());
        if (own.isEmpty() || other.isEmpty()) {
            return Sign.NONE;
        }
        return own.getAsDouble() * NOTABLE < other.getAsDouble()
                ? Sign.BETTER
                : own.getAsDouble() > NOTABLE * other.getAsDouble() ? Sign.WORSE : Sign.EQUAL;
    }

    private static OptionalDouble reciprocal(OptionalDouble x) {
        return x.orElse(0) > 0 ? OptionalDouble.of(1 / x.getAsDouble()) : OptionalDouble.empty();
    }

    private static Optional<String> text(OptionalDouble figure, Function<Double, String> format) {
        return figure.isPresent() ? Optional.of(format.apply(figure.getAsDouble())) : Optional.empty();
    }

    private static String capital(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }
}
