package dev.blobmark.lab.plan;

import dev.blobmark.lab.study.Factor;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The factor {@code rate}: what makes the next operation begin, the end of the last one or a clock. */
public sealed interface Load {

    /** More than this no server answers, and no thread can be woken for. */
    int MOST_PER_SECOND = 1_000_000;

    Factor<Load> FACTOR = new Factor<>(
            "rate",
            Factor.Home.CONDITION,
            Set.of(),
            Set.of(Factor.Use.RATE),
            "operations offered per second, by all threads together, evenly or as a Poisson process; closed: as fast as they go",
            List.of("closed", "constant:1000", "poisson:1000"),
            Optional.of("closed"),
            Load::parse,
            Object::toString);

    /** As many operations in flight as there are threads, back to back: a server that slows is asked less. */
    record Closed() implements Load {
        @Override
        public String toString() {
            return "closed";
        }
    }

    /**
     * Operations begin at given moments, whatever became of those before. Threads are the most in flight at once.
     *
     * @param perSecond by all threads together, above 0 and at most {@value #MOST_PER_SECOND}
     */
    record Open(Spacing spacing, double perSecond) implements Load {

        public Open {
            if (!(perSecond > 0 && perSecond <= MOST_PER_SECOND)) {
                throw new IllegalArgumentException(
                        "a rate of " + text(perSecond) + " per second is not between 1 and " + MOST_PER_SECOND);
            }
        }

        public double meanGapNanos() {
            return TimeUnit.SECONDS.toNanos(1) / perSecond;
        }

        @Override
        public Load share(int threads, int ofAll) {
            return new Open(spacing, perSecond * threads / ofAll);
        }

        @Override
        public String toString() {
            return spacing.word() + ":" + text(perSecond);
        }

        private static String text(double perSecond) {
            return BigDecimal.valueOf(perSecond).stripTrailingZeros().toPlainString();
        }
    }

    /** How arrivals lie in time. */
    enum Spacing {
        /** The same gap between any two. */
        CONSTANT,
        /** Exponentially distributed gaps: as many users make them who know nothing of each other. */
        POISSON;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What one process offers that runs some of a trial's threads: of Poisson arrivals exactly the same as one process alone. */
    default Load share(int threads, int ofAll) {
        return this;
    }

    private static Load parse(String level) {
        if (level.equals("closed")) {
            return new Closed();
        }
        Matcher form =
                Pattern.compile("(?:(constant|poisson):)?([0-9]{1,9})(?:/s)?").matcher(level);
        if (!form.matches()) {
            throw new IllegalArgumentException("rate '" + level
                    + "' is none; write closed, constant:1000 or poisson:1000 (operations per second)");
        }
        Spacing spacing = form.group(1) == null
                ? Spacing.CONSTANT
                : Spacing.valueOf(form.group(1).toUpperCase(Locale.ROOT));
        return new Open(spacing, Integer.parseInt(form.group(2)));
    }
}
