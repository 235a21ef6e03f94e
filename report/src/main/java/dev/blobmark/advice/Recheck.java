package dev.blobmark.advice;

import dev.blobmark.advice.Advice.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Whether an advice still holds: a new measurement of the recommended candidate, the present way of storing and the
 * next best.
 *
 * @param entries those that were measured, the recommended one first, with their new figures
 * @param failures why it no longer holds, one sentence each; empty if it holds
 */
public record Recheck(Advice advice, List<Entry> entries, List<String> failures) {

    /** Disk space may be larger by this share than stated. */
    private static final double MORE_DISK = 0.1;

    /** @throws AdviceException if clients, not the server, limited the rate of one of them */
    static Recheck of(Advice advice, Race.RaceResult result) {
        result.missing().forEach((id, reason) -> {
            if (reason.equals(Race.LIMITED_BY_CLIENTS)) {
                throw new AdviceException("nothing can be decided about " + id + ": " + reason);
            }
        });
        Entry recommended = advice.recommended();
        Raced raced = result.raced().get(recommended.id());
        if (raced == null) {
            return new Recheck(
                    advice,
                    List.of(),
                    List.of(recommended.id() + " could not be measured: "
                            + result.missing().getOrDefault(recommended.id(), "the time was over before")));
        }
        List<String> failures = new ArrayList<>();
        double tolerance = advice.question().goal().tolerance();
        raced.toOthers().forEach((other, ratio) -> {
            if (ratio.low() > 1 + tolerance) {
                failures.add(String.format(
                        Locale.ROOT,
                        "reads take at least %.0f %% longer than with %s; %.0f %% are accepted",
                        100 * (ratio.low() - 1),
                        other,
                        100 * tolerance));
            }
        });
        OptionalDouble before = recommended.raced().map(Raced::diskBytes).orElse(OptionalDouble.empty());
        if (before.isPresent()
                && raced.diskBytes().isPresent()
                && raced.diskBytes().getAsDouble() > before.getAsDouble() * (1 + MORE_DISK)) {
            failures.add(String.format(
                    Locale.ROOT,
                    "a value takes %.0f bytes on disk, and %.0f when the advice was given",
                    raced.diskBytes().getAsDouble(),
                    before.getAsDouble()));
        }
        List<Entry> entries = advice.entries().stream()
                .filter(entry -> result.raced().containsKey(entry.id()))
                .map(entry -> entry.with(result.raced().get(entry.id())))
                .toList();
        return new Recheck(advice, entries, List.copyOf(failures));
    }

    public boolean holds() {
        return failures.isEmpty();
    }
}
