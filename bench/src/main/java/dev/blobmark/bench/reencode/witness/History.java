package dev.blobmark.bench.reencode.witness;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What was committed to one row, in its order, and what was read of it. A content is empty where the row is not there.
 *
 * <p>The lock is held by whoever writes the row, from before its statement until its commit. Other methods are called
 * by the one who holds it, or when nobody writes any more.
 */
final class History {

    /**
     * A change.
     *
     * @param isLater whether the table was the new one
     */
    private record Step(Optional<Content> after, boolean isLogged, boolean isLater) {}

    final ReentrantLock lock = new ReentrantLock();
    private final List<Step> steps = new ArrayList<>();
    private Optional<Content> base = Optional.empty();
    private boolean isUneven;
    private boolean isClosed;

    /** @param initial what source and replica have at first */
    History(Optional<Content> initial) {
        steps.add(new Step(initial, true, false));
    }

    /**
     * Adds a change that was committed.
     *
     * @param before what was read in its transaction
     */
    void add(Optional<Content> before, Optional<Content> after, boolean isLogged, boolean isLater) {
        if (isLater && !hasLater()) {
            base = before;
        }
        boolean isOther = before.isPresent() != after.isPresent();
        if (isLogged) {
            isUneven = false; // it succeeded in a table in which both servers had the row, or both had it not
        } else if (isOther) {
            isUneven = true;
            isClosed |= isLater;
        }
        steps.add(new Step(after, isLogged, isLater));
    }

    private Step last() {
        return steps.get(steps.size() - 1);
    }

    /** What the table in use has, if nothing is wrong, and the row was written since the exchange or is not lost. */
    Optional<Content> current() {
        return last().after();
    }

    /** Whether it was changed after the exchange. */
    boolean hasLater() {
        return last().isLater();
    }

    /** What the new table had when the first later change was made; only if there is one. */
    Optional<Content> base() {
        return base;
    }

    /** What the former table has at the end. */
    Optional<Content> former() {
        return steps.get(lastFormer()).after();
    }

    private int lastFormer() {
        int last = steps.size() - 1;
        while (steps.get(last).isLater()) {
            last--;
        }
        return last;
    }

    /** Whether there was a change that no log has, before the exchange. */
    boolean hasUnlogged() {
        return steps.stream().anyMatch(step -> !step.isLogged() && !step.isLater());
    }

    /** Whether there was one after it. */
    boolean hasUnloggedLater() {
        return steps.stream().anyMatch(step -> !step.isLogged() && step.isLater());
    }

    /**
     * Whether source and replica may differ in whether they have the row. A logged change of it would then stop the
     * replica, whether or not the table is copied.
     */
    boolean isUneven() {
        return isUneven;
    }

    /** Whether nobody may write it any more, for the same reason. */
    boolean isClosed() {
        return isClosed;
    }

    /**
     * Whether the new table may have had a content at the exchange: that after the last logged change, or a later one
     * that the copy has read. Columns may be read at different times.
     */
    boolean mayHaveHad(Optional<Content> content) {
        int end = lastFormer();
        int begin = end;
        while (!steps.get(begin).isLogged()) {
            begin--;
        }
        List<Optional<Content>> known =
                steps.subList(begin, end + 1).stream().map(Step::after).toList();
        return known.contains(content)
                || content.isPresent()
                        && known.stream()
                                .flatMap(Optional::stream)
                                .anyMatch(each ->
                                        each.payload().equals(content.get().payload()))
                        && known.stream()
                                .flatMap(Optional::stream)
                                .anyMatch(
                                        each -> each.note().equals(content.get().note()));
    }

    /** Whether the row had a content at some time after a later change. */
    boolean hadLater(Optional<Content> content) {
        return steps.stream().anyMatch(step -> step.isLater() && step.after().equals(content));
    }

    /** Content after the last logged change, if that was made after the exchange: the replica has it. */
    Optional<Optional<Content>> lastLoggedLater() {
        for (int i = steps.size() - 1; steps.get(i).isLater(); i--) {
            if (steps.get(i).isLogged()) {
                return Optional.of(steps.get(i).after());
            }
        }
        return Optional.empty();
    }

    /** Whether a content that is read now is right. */
    boolean isRight(Optional<Content> read, boolean isLater) {
        if (hasLater() || !isLater) {
            return isLater == hasLater() && read.equals(current());
        }
        return read.equals(former()) || mayHaveHad(read);
    }

    @Override
    public String toString() {
        return steps + (hasLater() ? " on " + base : "");
    }
}
