package dev.blobmark.analysis;

import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Study;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;

/** The costs of the best method of a ranking compared with the baseline: by its choices, and as measured. */
public sealed interface GivesUp {

    /** Larger ratios to the baseline are reported. */
    double NOTABLE = 1.1;

    /** A consequence of the method's choices. */
    enum Consequence implements GivesUp {
        COMPRESSED_BY_SQL,
        ENCODED_BYTES,
        DECODED_BY_SERVER,
        COMPRESSED_TABLE,
        COMPRESSED_PAGES,
        ANOTHER_SERVER,
        CONNECTION_OF_THREAD,
        ASYNCHRONOUS
    }

    /** @param bytesPerSecond of one core; empty where it was not measured */
    record EncodingSpeed(OptionalDouble bytesPerSecond) implements GivesUp {}

    /** @param ratio of the medians, method ÷ baseline */
    record More(Resource resource, double ratio, String baseline) implements GivesUp {}

    /** A resource: per operation, or on disk per application byte. */
    enum Resource {
        CLIENT_CPU,
        SERVER_CPU,
        ALLOCATION,
        DISK
    }

    /** The costs of the best method of a ranking; empty if it is the baseline, or nothing was measured. */
    static List<GivesUp> of(Ranking ranking, Study study) {
        return ranking.best()
                .filter(row -> !row.method().equals(ranking.baseline()))
                .map(row -> {
                    List<GivesUp> costs = choices(row, levels(study, row.method()), levels(study, ranking.baseline()));
                    ranking.find(ranking.baseline()).ifPresent(base -> costs.addAll(measured(ranking, row, base)));
                    return List.copyOf(costs);
                })
                .orElse(List.of());
    }

    private static List<GivesUp> choices(Row best, Levels chosen, Levels base) {
        List<GivesUp> costs = new ArrayList<>();
        Function<String, String> choice = factor -> chosen.find(factor)
                .filter(level -> differs(chosen, base, factor))
                .orElse("");
        String codec = choice.apply("codec");
        if (codec.equals("mysql")) {
            costs.add(Consequence.COMPRESSED_BY_SQL);
        } else if (!codec.isEmpty() && !codec.equals("none")) {
            costs.add(Consequence.ENCODED_BYTES);
            costs.add(new EncodingSpeed(best.stored().encodedBytesPerSecond()));
        }
        if (choice.apply("decode").equals("server")) {
            costs.add(Consequence.DECODED_BY_SERVER);
        }
        if (choice.apply("layout").startsWith("compressed")) {
            costs.add(Consequence.COMPRESSED_TABLE);
        } else if (choice.apply("layout").startsWith("page:")) {
            costs.add(Consequence.COMPRESSED_PAGES);
        }
        if (choice.apply("store").equals("redis")) {
            costs.add(Consequence.ANOTHER_SERVER);
        }
        if (choice.apply("connection").equals("thread-local")) {
            costs.add(Consequence.CONNECTION_OF_THREAD);
        }
        if (choice.apply("client").equals("async")) {
            costs.add(Consequence.ASYNCHRONOUS);
        }
        return costs;
    }

    private static List<GivesUp> measured(Ranking ranking, Row best, Row baseline) {
        Map<Resource, Function<Row, OptionalDouble>> figures = Map.of(
                Resource.CLIENT_CPU, row -> row.median(Metric.CPU),
                Resource.SERVER_CPU, row -> row.median(Metric.SERVER_CPU),
                Resource.ALLOCATION, row -> row.median(Metric.ALLOCATION),
                Resource.DISK, ranking::diskShare);
        List<GivesUp> costs = new ArrayList<>();
        for (Resource resource : Resource.values()) {
            OptionalDouble figure = figures.get(resource).apply(best);
            OptionalDouble base = figures.get(resource).apply(baseline);
            if (figure.isPresent() && base.orElse(0) > 0 && figure.getAsDouble() > NOTABLE * base.getAsDouble()) {
                costs.add(new More(resource, figure.getAsDouble() / base.getAsDouble(), baseline.method()));
            }
        }
        return costs;
    }

    private static Levels levels(Study study, String method) {
        return study.methods().stream()
                .filter(candidate -> candidate.id().equals(method))
                .findFirst()
                .map(Method::levels)
                .orElse(Levels.of(Map.of()));
    }

    private static boolean differs(Levels chosen, Levels base, String factor) {
        return !chosen.find(factor).equals(base.find(factor));
    }
}
