package dev.blobmark.analysis;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.study.Spelling;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Interval;
import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much worse a figure may become: {@code throughput < -5%}, {@code p99 > +10%}.
 *
 * @param percent of the figure before; a loss is negative if higher is better, and positive if lower is; 0 allows no
 *     established loss
 */
public record Limit(Metric metric, double percent) {

    private static final Pattern FORM =
            Pattern.compile("\\s*([^\\s<>]+)\\s*([<>])\\s*([+-]?)\\s*([0-9]{1,6}(?:\\.[0-9]{1,6})?)\\s*%\\s*");

    /** The relation of an effect to a limit. */
    public enum LimitJudgement {
        /** The effect and all of its interval are beyond the limit. */
        EXCEEDED,
        /** All of the interval is within the limit. */
        KEPT,
        /** The interval reaches to both sides, or there is none. */
        INCONCLUSIVE
    }

    public Limit {
        boolean falls = metric.higherIsBetter();
        if (falls ? !(percent > -100 && percent <= 0) : !(percent >= 0 && percent < 1e6)) {
            throw new IllegalArgumentException(
                    "no limit of " + metric.word() + " is at " + percent + " %; give " + (falls ? "-5" : "+5"));
        }
    }

    /**
     * Reads a limit.
     *
     * @throws IllegalArgumentException with the text, the reason and the fix
     */
    public static Limit parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw wrong(
                    text, "this is not a limit", "write 'METRIC < -X%' or 'METRIC > +X%', such as 'throughput < -5%'");
        }
        Metric metric = Metric.find(form.group(1))
                .orElseThrow(() -> wrong(
                        text,
                        "unknown metric '" + form.group(1) + "'",
                        Spelling.suggest(form.group(1), Metric.words())));
        boolean falls = metric.higherIsBetter();
        double size = Double.parseDouble(form.group(4));
        String right = "write '" + metric.word() + (falls ? " < -" : " > +") + form.group(4) + "%'";
        if (form.group(2).equals("<") != falls) {
            throw wrong(text, "more " + metric.word() + " is " + (falls ? "no" : "a") + " loss", right);
        }
        if (size > 0 && !form.group(3).equals(falls ? "-" : "+")) {
            throw wrong(text, falls ? "a fall has a minus" : "a rise has a plus", right);
        }
        if (falls && size >= 100) {
            throw wrong(text, "nothing falls by 100 % or more", "write less, such as '" + metric.word() + " < -5%'");
        }
        return new Limit(metric, falls && size > 0 ? -size : size);
    }

    private static IllegalArgumentException wrong(String text, String reason, String mend) {
        return new IllegalArgumentException("'" + text + "': " + reason + "; " + mend);
    }

    public LimitJudgement judge(Effect effect) {
        if (!(effect.interval() instanceof Interval.Range range)) {
            return LimitJudgement.INCONCLUSIVE;
        }
        double bound = 1 + percent / 100;
        boolean falls = metric.higherIsBetter();
        if (falls ? range.low() >= bound : range.high() <= bound) {
            return LimitJudgement.KEPT;
        }
        boolean isBeyond =
                falls ? effect.ratio() < bound && range.high() < bound : effect.ratio() > bound && range.low() > bound;
        return isBeyond ? LimitJudgement.EXCEEDED : LimitJudgement.INCONCLUSIVE;
    }

    /** As it is written in {@code --fail-if}. */
    @Override
    public String toString() {
        String size = BigDecimal.valueOf(Math.abs(percent)).stripTrailingZeros().toPlainString();
        return metric.word() + (metric.higherIsBetter() ? " < -" : " > +") + size + "%";
    }
}
