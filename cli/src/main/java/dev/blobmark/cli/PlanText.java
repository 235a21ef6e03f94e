package dev.blobmark.cli;

import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.plan.Estimate;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Visible;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Threads;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Prints a run's plan and estimate. */
final class PlanText {

    private static final int WIDTH = 100;

    private static final long MIB = 1 << 20;
    private static final long GIB = 1 << 30;

    private PlanText() {}

    /** Prints a few lines before a run: the settings in effect. */
    static void printHeader(Study study, Estimate estimate, PrintWriter err) {
        Schedule schedule = study.schedule();
        err.printf(
                "%s%s: %s%n",
                study.name(),
                study.profile().isEmpty() ? "" : " (" + study.profile() + ")",
                Visible.of(study.question()));
        err.printf(
                "  %s × %s in %s; warm-up up to %s, window %s%s, seed %d%n",
                counted(estimate.trials().size(), "trial"),
                counted(schedule.rounds(), "round"),
                counted(schedule.forks(), "fork"),
                text(schedule.warmUp()),
                schedule.window() instanceof Window.Time time
                        ? text(time.length())
                        : ((Window.Count) schedule.window()).operations() + " operations",
                schedule.visit().map(length -> " in visits of " + text(length)).orElse(""),
                schedule.seed());
        schedule.untilPrecise().ifPresent(until -> err.printf("  %s%n", precision(until)));
        schedule.untilDecided().ifPresent(budget -> err.printf("  %s%n", decision(budget)));
        err.printf(
                "  about %s: %s to prepare, %s to measure; %s on disk%n",
                about(estimate.total()),
                about(estimate.preparing()),
                about(estimate.measuring()),
                bytes(estimate.diskBytes()));
        err.flush();
    }

    /** A line for a run on a server that applications use too; empty unless all of it is on one thread. */
    static Optional<String> advice(Estimate estimate) {
        boolean isOnOneThread =
                estimate.trials().stream().allMatch(trial -> trial.design().get(Threads.FACTOR) == 1);
        return isOnOneThread
                ? Optional.of("one thread; an application has more: --threads 1,8 measures with one and with eight")
                : Optional.empty();
    }

    /**
     * Prints the whole plan.
     *
     * @param bufferPool bytes of the server's buffer pool; empty if they are not known
     * @param isRemote whether a server is on another host
     * @param charts how long each chart of the study takes by itself
     */
    static void print(
            Study study,
            Estimate estimate,
            OptionalLong bufferPool,
            boolean isRemote,
            Map<String, Duration> charts,
            PrintWriter out) {
        out.printf(
                "Study:       %s%s%n", study.name(), study.profile().isEmpty() ? "" : ", profile " + study.profile());
        out.printf("Question:    %s%n", Visible.of(study.question()));
        out.printf("Source:      %s%n", Visible.of(study.source()));
        out.printf("Metric:      %s%n", study.metric().word());
        out.printf("Baseline:    %s%n", study.baseline());
        out.printf(
                "Plan:        %s, %s, %s, %s: %s%n",
                counted(estimate.trials().size(), "trial"),
                counted(study.schedule().rounds(), "round"),
                counted(study.schedule().forks(), "fork"),
                counted(estimate.blocks(), "block"),
                counted(estimate.samples(), "sample"));
        study.schedule().untilPrecise().ifPresent(until -> out.printf("Precision:   %s%n", precision(until)));
        study.schedule().untilDecided().ifPresent(budget -> out.printf("Decision:    %s%n", decision(budget)));
        out.printf(
                "Time:        about %s (%s to prepare, %s to measure)%n",
                about(estimate.total()), about(estimate.preparing()), about(estimate.measuring()));
        String before = "Charts:      ";
        for (Map.Entry<String, Duration> chart : charts.entrySet()) {
            out.printf("%s--chart %s: about %s%n", before, chart.getKey(), about(chart.getValue()));
            before = " ".repeat(before.length());
        }
        out.printf("Disk:        about %s for the tables of the largest block%n", bytes(estimate.diskBytes()));
        out.printf(
                "Working set: at most %s a trial%s%n",
                bytes(estimate.workingSetBytes()),
                bufferPool.isEmpty()
                        ? ""
                        : ", in a buffer pool of " + bytes(bufferPool.getAsLong())
                                + (bufferPool.getAsLong() < estimate.workingSetBytes()
                                        ? ", which it does not fit in: some reads are from disk"
                                        : ""));
        out.printf("Connections: up to %d at once%n", estimate.connections());
        printTrials(estimate.trials(), isRemote, out);
        out.printf("%nDDL:%n");
        // two lines, so that neither is wider than a terminal
        estimate.ddl()
                .forEach(ddl -> out.printf("  %s;%n", ddl.replaceFirst(" \\(", System.lineSeparator() + "    (")));
        out.flush();
    }

    /** Prints methods with the same conditions together: first the levels of the conditions, then the methods. */
    private static void printTrials(List<Trial> trials, boolean isRemote, PrintWriter out) {
        Map<String, List<Trial>> byMethod = grouped(trials, Trial::method);
        Map<Set<Levels>, List<String>> byConditions = new LinkedHashMap<>();
        byMethod.forEach((method, ofMethod) -> byConditions
                .computeIfAbsent(
                        ofMethod.stream().map(Trial::condition).collect(Collectors.toCollection(LinkedHashSet::new)),
                        conditions -> new ArrayList<>())
                .add(method));
        byConditions.forEach((conditions, methods) -> {
            out.printf(
                    "%nTrials: %s, each under %s%n",
                    counted(methods.size(), "method"), counted(conditions.size(), "condition"));
            Map<String, Set<String>> levels = new TreeMap<>();
            conditions.forEach(condition -> Link.inWords(condition, isRemote)
                    .byFactor()
                    .forEach((factor, level) -> levels.computeIfAbsent(factor, f -> new LinkedHashSet<>())
                            .add(level)));
            levels.forEach((factor, words) -> {
                // a factor that has its documented default everywhere is left out, as in the ids of trials
                if (words.size() > 1 || isStated(factor, words.iterator().next())) {
                    printWrapped("  " + factor + ": ", words, out);
                }
            });
            out.println();
            for (String method : methods) {
                Trial first = byMethod.get(method).get(0);
                out.printf("  %-22s %s%n", method, Visible.of(choices(first)));
            }
        });
    }

    private static void printWrapped(String head, Set<String> words, PrintWriter out) {
        StringBuilder line = new StringBuilder(head);
        String separator = "";
        for (String word : words) {
            String next = Visible.of(word);
            if (!separator.isEmpty() && line.length() + next.length() + 3 > WIDTH) {
                out.println(line + ",");
                line.setLength(0);
                line.append("    ");
                separator = "";
            }
            line.append(separator).append(next);
            separator = ", ";
        }
        out.println(line);
    }

    private static String choices(Trial trial) {
        Levels all = trial.methodLevels();
        Levels choices = all.only(factor -> isStated(factor, all.byFactor().get(factor)));
        return choices.byFactor().isEmpty() ? "-" : choices.toString();
    }

    private static boolean isStated(String factor, String level) {
        return !Factors.VOCABULARY.find(factor).flatMap(Factor::defaultLevel).equals(Optional.of(level));
    }

    private static <K> Map<K, List<Trial>> grouped(List<Trial> trials, Function<Trial, K> key) {
        return trials.stream().collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()));
    }

    private static String precision(Schedule.UntilPrecise until) {
        return "forks are added until intervals are within ± " + until.targetText()
                + until.budget()
                        .map(budget -> ", for " + text(budget) + " of measuring at most")
                        .orElse("");
    }

    private static String decision(Duration budget) {
        return "forks are added until all comparisons are decided, for " + text(budget) + " of measuring at most";
    }

    private static String counted(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /** Rounded, because an estimate is not exact to the millisecond. */
    static String about(Duration time) {
        return text(Duration.ofSeconds(Math.max(1, Math.round(time.toMillis() / 1e3))));
    }

    /** {@code 700 ms}, {@code 12 s}, {@code 3 min 20 s}, {@code 41 h 5 min}. */
    static String text(Duration time) {
        if (time.compareTo(Duration.ofSeconds(10)) < 0) {
            return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
        }
        if (time.compareTo(Duration.ofMinutes(2)) < 0) {
            return time.toSeconds() + " s";
        }
        if (time.compareTo(Duration.ofHours(2)) < 0) {
            return time.toMinutes() + " min " + time.toSecondsPart() + " s";
        }
        return time.toHours() + " h " + time.toMinutesPart() + " min";
    }

    private static String bytes(long bytes) {
        return bytes >= GIB
                ? String.format(Locale.ROOT, "%.1f GB", bytes / (double) GIB)
                : String.format(Locale.ROOT, "%.0f MB", bytes / (double) MIB);
    }
}
