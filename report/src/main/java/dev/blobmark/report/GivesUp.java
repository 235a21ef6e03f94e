package dev.blobmark.report;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Study;
import dev.blobmark.report.Ranking.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a method has that the baseline has not, to its cost: what follows from its choices, and what was measured. */
final class GivesUp {

    /** More than this of the baseline's is told. */
    private static final double NOTABLE = 1.1;

    private GivesUp() {}

    /** Of the best of a ranking; nothing where that is the baseline, or nothing was measured. */
    static List<String> of(Ranking ranking, Study study) {
        Optional<Row> best = ranking.best().filter(row -> !row.method().equals(ranking.baseline()));
        return best.map(row -> of(ranking, row, study)).orElse(List.of());
    }

    private static List<String> of(Ranking ranking, Row best, Study study) {
        Levels its = levels(study, best.method());
        Levels base = levels(study, ranking.baseline());
        List<String> costs = new ArrayList<>();
        its.find("codec").filter(codec -> differs(its, base, "codec")).ifPresent(codec -> {
            if (codec.equals("mysql")) {
                costs.add("The column holds what COMPRESS() made: SQL sees the values only through UNCOMPRESS().");
            } else if (!codec.equals("none")) {
                costs.add("The column holds encoded bytes: no JSON functions, LIKE or index on their content, and every"
                        + " program that reads or writes them needs the codec.");
                costs.add("Writing encodes first"
                        + best.stored().encodedBytesPerSecond().stream()
                                .mapToObj(speed -> ", at " + Figures.amount(Metric.THROUGHPUT, speed) + " of a core")
                                .collect(Collectors.joining())
                        + ": 'workload: insert' or 'codec' measures what that takes.");
            }
        });
        if (differs(its, base, "decode") && its.find("decode").equals(Optional.of("server"))) {
            costs.add(
                    "The server decodes: its processors are shared by all clients, and the wire carries the whole value.");
        }
        its.find("layout").filter(layout -> differs(its, base, "layout")).ifPresent(layout -> {
            if (layout.startsWith("compressed")) {
                costs.add(
                        "The server compresses pages on its own threads when they change, and may hold them twice in the"
                                + " buffer pool.");
            } else if (layout.startsWith("page:")) {
                costs.add(
                        "Pages are compressed by holes in the file: that takes a file system with holes, and copies of the"
                                + " file may lose them.");
            }
        });
        if (differs(its, base, "store") && its.find("store").equals(Optional.of("redis"))) {
            costs.add("Another server to run, all of it in memory, outside the database's transactions and backups.");
        }
        if (differs(its, base, "connection")
                && its.find("connection").filter("thread-local"::equals).isPresent()) {
            costs.add(
                    "A connection of each thread: no check before use, no time-out, no limit but the threads, and none"
                            + " notices one that is never given back.");
        }
        if (its.find("client").filter("async"::equals).isPresent() && differs(its, base, "client")) {
            costs.add("An asynchronous client: code in callbacks, and many operations in flight on one connection.");
        }
        ranking.find(ranking.baseline()).ifPresent(baseline -> {
            more(best, baseline, "CPU of the client", row -> row.median(Metric.CPU), costs);
            more(best, baseline, "CPU of the server", row -> row.median(Metric.SERVER_CPU), costs);
            more(best, baseline, "bytes allocated by the client", row -> row.median(Metric.ALLOCATION), costs);
            more(best, baseline, "disk", ranking::diskShare, costs);
        });
        return costs;
    }

    private static Levels levels(Study study, String method) {
        return study.methods().stream()
                .filter(one -> one.id().equals(method))
                .findFirst()
                .map(Method::levels)
                .orElse(Levels.of(Map.of()));
    }

    private static boolean differs(Levels its, Levels base, String factor) {
        return !its.find(factor).equals(base.find(factor));
    }

    private static void more(
            Row best, Row baseline, String what, Function<Row, OptionalDouble> figure, List<String> costs) {
        OptionalDouble its = figure.apply(best);
        OptionalDouble base = figure.apply(baseline);
        if (its.isPresent() && base.orElse(0) > 0 && its.getAsDouble() > NOTABLE * base.getAsDouble()) {
            costs.add(Figures.ratio(its.getAsDouble() / base.getAsDouble()) + " times the " + what + " of "
                    + baseline.method() + ", by the medians.");
        }
    }
}
