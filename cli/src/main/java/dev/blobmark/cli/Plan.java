package dev.blobmark.cli;

import dev.blobmark.lab.plan.Estimate;
import dev.blobmark.lab.run.Visible;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;

/** How a run's plan and estimate are shown. */
final class Plan {

    private Plan() {}

    /** A few lines before a run: what is effective. */
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

    /** All of it. */
    static void print(Study study, Estimate estimate, PrintWriter out) {
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
        out.printf("Disk:        about %s for the tables of the largest block%n", bytes(estimate.diskBytes()));
        out.printf(
                "Working set: at most %s a trial, in a buffer pool of %s%n",
                bytes(estimate.workingSetBytes()), bytes(estimate.bufferPoolBytes()));
        out.printf("Connections: up to %d at once%n", estimate.connections());
        out.printf("%nTrials:%n");
        for (Trial trial : estimate.trials()) {
            out.printf("  %-22s %s%n", trial.method(), Visible.of(trial.id()));
        }
        out.printf("%nDDL:%n");
        // a line for the name, a line for the rest: neither is wider than a terminal
        estimate.ddl()
                .forEach(ddl -> out.printf("  %s;%n", ddl.replaceFirst(" \\(", System.lineSeparator() + "    (")));
        out.flush();
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

    /** An estimate is not known to the millisecond. */
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
        return bytes >= 1e9
                ? String.format(Locale.ROOT, "%.1f GB", bytes / 1e9)
                : String.format(Locale.ROOT, "%.0f MB", bytes / 1e6);
    }
}
