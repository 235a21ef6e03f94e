package dev.blobmark.reencode.terms;

import dev.blobmark.reencode.checkpoint.Verdict;
import java.util.Optional;

/**
 * How a change ended.
 *
 * @param isComplete whether all rows are done; otherwise the same command continues
 * @param last how far it is
 * @param verdict of the comparison after the exchange of a copy; empty for other changes
 */
public record Outcome(boolean isComplete, Progress last, Optional<Verdict> verdict) {}
