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

/** The factor {@code rate}: whether operations start when others end (closed loop) or by a clock (open loop). */
public sealed interface Load {

    /** No server answers more, and threads cannot be woken more often. */
    int MAX_PER_SECOND = 1_000_000;

    Factor<Load> FACTOR = new Factor<>(
                    "rate",
                    Factor.Home.CONDITION,
                    Set.of(),
                    Set.of(Factor.Use.RATE),
                    "operations per second of all threads together, evenly or as a Poisson process; closed: a closed loop",
                    List.of("closed", "constant:1000", "poisson:1000"),
                    Optional.of("closed"),
                    Load::parse,
                    Object::toString)
            .withForm("closed|((constant|poisson):)?[0-9]{1,9}(/s)?");

    /** Each thread starts its next operation when the last one has ended. So a slower server gets fewer requests. */
    record Closed() implements Load {
        @Override
        public String toString() {
            return "closed";
        }
    }

    /**
     * Operations start at given times, even if others have not ended. The number of threads limits those in flight.
     *
     * @param perSecond of all threads together, above 0 and at most {@value #MAX_PER_SECOND}
     */
    record Open(Spacing spacing, double perSecond) implements Load {

        public Open {
            if (!(perSecond > 0 && perSecond <= MAX_PER_SECOND)) {
                throw new IllegalArgumentException(
                        "a rate of " + text(perSecond) + " per second is not between 1 and " + MAX_PER_SECOND);
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

    /** The distribution of the gaps between starts. */
    enum Spacing {
        /** Equal gaps. */
        CONSTANT,
        /** Exponentially distributed gaps, like those of many independent users. */
        POISSON;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The load of a process with some of a trial's threads. Poisson processes add up to a Poisson process. */
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
                    + "' is not valid; write closed, constant:1000 or poisson:1000 (operations per second)");
        }
        Spacing spacing = form.group(1) == null
                ? Spacing.CONSTANT
                : Spacing.valueOf(form.group(1).toUpperCase(Locale.ROOT));
        return new Open(spacing, Integer.parseInt(form.group(2)));
    }
}
