package dev.blobmark.reencode.verify;

import dev.blobmark.reencode.checkpoint.Verdict;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What a comparison of all values with the checksums of a change found.
 *
 * @param ranges of rows
 * @param same those whose values are all as they were when the change read them
 * @param rows of all ranges now
 * @param unreadable values that could not be decoded
 * @param firstUnreadable the key of the first one; empty if there is none
 * @param exchange verdicts of the comparisons after the exchanges of copies
 */
public record Verified(
        long ranges, long same, long rows, long unreadable, String firstUnreadable, List<Verdict> exchange) {

    Verified(long ranges, long same, long rows, long unreadable, String firstUnreadable) {
        this(ranges, same, rows, unreadable, firstUnreadable, List.of());
    }

    /** With the verdict of a copy. */
    public Verified with(Optional<Verdict> verdict) {
        return new Verified(
                ranges,
                same,
                rows,
                unreadable,
                firstUnreadable,
                verdict.stream().toList());
    }

    /** Of several tables together. */
    public static Verified sum(Collection<Verified> all) {
        return new Verified(
                all.stream().mapToLong(Verified::ranges).sum(),
                all.stream().mapToLong(Verified::same).sum(),
                all.stream().mapToLong(Verified::rows).sum(),
                all.stream().mapToLong(Verified::unreadable).sum(),
                all.stream()
                        .map(Verified::firstUnreadable)
                        .filter(key -> !key.isEmpty())
                        .findFirst()
                        .orElse(""),
                all.stream().flatMap(each -> each.exchange().stream()).toList());
    }
}
