package dev.blobmark.report;

import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Metric;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The sentence that answers a study's question under one condition, and no more than the samples bear. */
final class Answer {

    private Answer() {}

    /** @param varying the factors in which the run's conditions differ; they are named, the others are not */
    static String of(Ranking ranking, Set<String> varying) {
        String place = place(ranking.condition(), varying);
        return ranking.best()
                .map(best -> place + ", " + about(ranking, best))
                .orElse(place + ", nothing was measured of " + ranking.operation() + ".");
    }

    /** The factors that do not have the same level under all conditions. */
    static Set<String> varying(Collection<Levels> conditions) {
        Set<String> varying = new TreeSet<>();
        for (Levels one : conditions) {
            for (Levels other : conditions) {
                one.byFactor().forEach((factor, level) -> {
                    if (!other.find(factor).orElse(level).equals(level)) {
                        varying.add(factor);
                    }
                });
            }
        }
        return varying;
    }

    private static String about(Ranking ranking, Ranking.Row best) {
        List<String> rivals = ranking.notSeparatedFromBest();
        int rounds = best.value().rounds();
        boolean isBaseline = best.method().equals(ranking.baseline());
        StringBuilder says = new StringBuilder(best.method()).append(isBaseline ? ", the baseline, " : " ");
        if (ranking.rows().size() == 1) {
            says.append("is the only method measured");
        } else if (rounds == 1) {
            says.append("was ahead in the only round");
        } else if (rivals.isEmpty()) {
            says.append(superlative(ranking));
        } else {
            says.append("is ahead")
                    .append(at(ranking.operation()))
                    .append(", but not separated from ")
                    .append(Figures.enumerate(
                            rivals.size() > 3
                                    ? List.of(rivals.get(0), rivals.get(1), (rivals.size() - 2) + " more")
                                    : rivals))
                    .append(" (ranges overlap)");
        }
        if (isBaseline) {
            ranking.rows().stream()
                    .skip(1)
                    .findFirst()
                    .ifPresent(next -> next.ratio()
                            .ifPresent(ratio -> says.append("; next is ")
                                    .append(next.method())
                                    .append(" with ")
                                    .append(times(ratio, "its " + noun(ranking.metric())))));
        } else if (ranking.find(ranking.baseline()).filter(Ranking.Row::isCopy).isPresent()) {
            says.append(": ").append(amount(ranking.metric(), best.value()));
        } else if (best.ratio().isPresent()) {
            says.append(": ")
                    .append(times(best.ratio().get(), "the " + noun(ranking.metric()) + " of " + ranking.baseline()));
            disk(ranking, best, says);
        } else {
            says.append("; the baseline, ").append(ranking.baseline()).append(", was not measured");
        }
        says.append('.');
        if (!best.unsteady().isEmpty()) {
            says.append(" It was not steady.");
        }
        return says.toString();
    }

    /** {@code 1.32 times the bytes per second of uncompressed (range 1.28 to 1.35 over 3 rounds)}. */
    private static String times(Spread ratio, String what) {
        String from = Figures.ratio(ratio.min());
        String to = Figures.ratio(ratio.max());
        return Figures.ratio(ratio.median()) + " times " + what
                + (ratio.rounds() == 1
                        ? " (one round shows no range)"
                        : from.equals(to)
                                ? " (in each of " + ratio.rounds() + " rounds)"
                                : " (range " + from + " to " + to + " over " + ratio.rounds() + " rounds)");
    }

    /** {@code 1538 MB/s (range 1466 to 2674 over 3 rounds)}. */
    private static String amount(Metric metric, Spread value) {
        double one = switch (metric.unit()) {
            case BYTES_PER_SECOND -> 1e6;
            case PER_SECOND, NONE -> 1;
            case NANOS -> 1e3;
            case BYTES -> 1024;
        };
        String unit = switch (metric.unit()) {
            case BYTES_PER_SECOND -> "MB/s";
            case PER_SECOND -> "operations per second";
            case NANOS -> "µs";
            case BYTES -> "KB";
            case NONE -> "";
        };
        return Figures.number(value.median() / one) + " " + unit
                + (value.rounds() == 1
                        ? " (one round shows no range)"
                        : " (range " + Figures.number(value.min() / one) + " to " + Figures.number(value.max() / one)
                                + " over " + value.rounds() + " rounds)");
    }

    private static void disk(Ranking ranking, Ranking.Row best, StringBuilder says) {
        ranking.find(ranking.baseline()).ifPresent(base -> {
            if (ranking.metric() != Metric.DISK
                    && best.diskBytes().isPresent()
                    && base.diskBytes().orElse(0) > 0) {
                says.append(", on ")
                        .append(Figures.percent(best.diskBytes().getAsDouble()
                                / base.diskBytes().getAsDouble()))
                        .append(" of the disk");
            }
        });
    }

    private static String at(String operation) {
        return switch (operation) {
            case "fetch" -> "";
            case "encode" -> " in encoding";
            case "decode" -> " in decoding";
            default -> " at " + operation;
        };
    }

    private static String superlative(Ranking ranking) {
        if (ranking.metric() == Metric.DISK) {
            return "takes the least disk";
        }
        return switch (ranking.operation()) {
            case "fetch" -> "is read back fastest";
            case "encode" -> "encodes fastest";
            case "decode" -> "decodes fastest";
            default -> "is fastest at " + ranking.operation();
        };
    }

    private static String noun(Metric metric) {
        return switch (metric) {
            case THROUGHPUT -> "bytes per second";
            case OPERATIONS -> "operations per second";
            case MEAN, P90, P95, P99, P999, MAX -> metric.word() + " latency";
            case P50 -> "median latency";
            case RESPONSE_P50 -> "median response time";
            case RESPONSE_P99 -> "p99 response time";
            case RESPONSE_P999 -> "p99.9 response time";
            case CPU -> "client CPU";
            case SERVER_CPU -> "server CPU";
            case ALLOCATION -> "allocation";
            case COMPRESSION_RATIO -> "compression ratio";
            case DISK -> "disk";
        };
    }

    private static String place(Levels condition, Set<String> varying) {
        List<String> named =
                Figures.levels(condition.only(factor -> varying.contains(factor) && !factor.equals("size")));
        String more = named.isEmpty() ? "" : " (" + String.join(", ", named) + ")";
        return condition
                .find("size")
                .map(size -> "At " + Figures.size(size) + more)
                .orElse(condition.find("dataset").map(d -> "With " + d).orElse("Here") + more);
    }
}
