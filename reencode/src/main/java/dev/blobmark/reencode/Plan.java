package dev.blobmark.reencode;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.KeyBounds;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.check.Beginning;
import dev.blobmark.reencode.check.Check;
import dev.blobmark.reencode.check.Preflight;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.State.Phase;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.cutover.CopyEnding;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.ColumnIdentity;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.terms.ReencodeOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.commons.rng.simple.RandomSource;

/**
 * Decides what follows on what was done before.
 *
 * @param isDividing whether several writers are to change the rows
 * @param begun when the change began that this process has begun or continued; empty before
 */
record Plan(
        TableColumn column,
        StateTable states,
        ReencodeOptions options,
        String program,
        boolean isDividing,
        Optional<Instant> begun,
        ReencodeListener listener) {

    /** Parts differ in their rows: a writer that is done takes another one. */
    private static final int PARTS_PER_WRITER = 8;

    static final String OTHER_TABLE =
            "the table was restored, rebuilt or exchanged, or its columns were moved, since it began: it begins again"
                    + " from the first row";

    private static final long SEED = 20_261_126;

    /**
     * Whether a copy to this target has ended, and its former table is kept: the same command has its verdict again.
     */
    static boolean isDone(State state, Target target, boolean isCopy) {
        return isCopy
                && state.phase() == Phase.CHANGED
                && state.target().equals(target)
                && state.copy().flatMap(State.Copy::verdict).isPresent();
    }

    /** Why a change cannot begin while another one is under way, or its tables are kept, with the remedy. */
    static Optional<String> conflict(State state, Target target, boolean isCopy) {
        if (isDone(state, target, isCopy)) {
            return Optional.empty();
        }
        Optional<Verdict> verdict = state.copy().flatMap(State.Copy::verdict);
        if (verdict.isPresent() && !state.isUnderWay()) {
            return Optional.of("its rows were copied, and the former table is kept"
                    + (verdict.get().isOpen() ? ", with rows that differ from those of the new one" : "")
                    + "; another change can begin after --finish, which drops the former table"
                    + (verdict.get().isOpen() ? " when these rows are accepted" : ""));
        }
        boolean isSame = !state.isBack() && state.target().equals(target);
        if (!state.isUnderWay() || isSame && state.isCopying() == isCopy) {
            return Optional.empty();
        }
        if (isSame) {
            return Optional.of(
                    state.inWords() + (isCopy ? ", in place; continue it without" : ", by a copy; continue it with")
                            + " --mode copy, or take it back with --revert");
        }
        return Optional.of(state.inWords()
                + (state.isBack()
                        ? "; continue that with --revert"
                        : "; continue that with --to " + state.codec()
                                + " and the same policy, or take it back with --revert"));
    }

    /** Decides what is to be done, and takes it over. */
    State begin(
            Connection reading, Connection owning, Endpoint endpoint, Optional<Before> stored, Optional<Target> target)
            throws SQLException, InterruptedException {
        TableFacts facts = TableFacts.read(reading, column);
        List<String> missing = Preflight.missing(reading, column);
        if (!missing.isEmpty()) {
            throw refused(Stream.concat(facts.problems(options.isCopy()).stream(), missing.stream())
                    .toList());
        }
        Optional<State> known = states.read(reading);
        State planned = next(known, stored, target, List.of());
        if (!planned.isUnderWay() && known.equals(Optional.of(planned))) {
            return planned; // it was taken back before, or the answer to the last COMMIT was lost
        }
        List<String> problems = Check.problems(new Beginning(
                reading,
                endpoint,
                column,
                options,
                facts,
                target,
                planned.isCopying() ? planned.copy() : Optional.empty(),
                planned.isCopying()
                        || target.isEmpty() && known.filter(State::isCopying).isPresent(),
                known.filter(State::isUnderWay).isPresent()));
        if (!problems.isEmpty()) {
            throw refused(problems);
        }
        List<String> keyColumns =
                TableFacts.columns(reading, column, TableKey.of(reading, column).names());
        states.create(owning);
        states.takeOver(owning);
        Optional<State> before = states.read(owning);
        State next = next(before, stored, target, keyColumns);
        Optional<State> copied = before.filter(State::isCopying);
        if (target.isEmpty() && copied.isPresent() && new CopyEnding(column, owning).revert(copied.get())) {
            next = next.dropped();
            listener.noticeIssued(Reencoding.DROPPED);
        }
        boolean isNew = before.isEmpty() || !before.get().begun().equals(next.begun());
        ColumnIdentity identity = ColumnIdentity.read(reading, column);
        boolean isOtherKey = !keyColumns.equals(next.keyColumns());
        if (isOtherKey && next.position().isPresent()) {
            listener.noticeIssued("the key of the table has changed: it begins again from the first row");
        }
        boolean isOtherTable = !isNew && next.isOfOther(identity);
        if (isOtherTable && !isOtherKey) {
            listener.noticeIssued(OTHER_TABLE);
        }
        boolean isRestarted = isOtherKey || isOtherTable;
        if (isRestarted) {
            next = next.restarted(keyColumns);
        }
        if (isRestarted || isNew && !next.isBack()) { // the way back needs those of the change
            states.clear(owning, isNew && !next.isBack() && next.isFirst());
        }
        if (before.isPresent() && before.get().isDivided() && (isRestarted || isNew && !next.isBack())) {
            states.clearParts(owning, before.get().parts());
        }
        if (isNew && !next.isBack() && !next.isCopying()) {
            next = next.divided(bounds(reading));
        }
        if (next.copy().isEmpty()) {
            next = next.of(Optional.of(identity));
        }
        states.own(owning, next);
        states.release(owning);
        return next;
    }

    /** Keys that divide the table for several writers; empty for one. */
    private List<List<String>> bounds(Connection reading) throws SQLException {
        int parts = options.writers() * PARTS_PER_WRITER;
        if (!isDividing || !states.canBeDivided(parts)) {
            return List.of();
        }
        TableKey key = TableKey.of(reading, column);
        return KeyBounds.of(reading, key, parts, RandomSource.XO_RO_SHI_RO_128_PP.create(new long[] {SEED, parts}))
                .stream()
                .map(key::texts)
                .toList();
    }

    /** What follows on a state. */
    private State next(
            Optional<State> before, Optional<Before> stored, Optional<Target> target, List<String> keyColumns) {
        if (target.isEmpty()) {
            State changed = before.orElseThrow(() -> new ReencodeException(
                    column.name(), "no change of it is known here", "to decode its values, change them --to none"));
            return changed.isBack() ? changed : changed.revert(program, Instant.now());
        }
        if (before.filter(state -> state.phase() == Phase.CHANGED
                        && (Optional.of(state.begun()).equals(begun) || isDone(state, target.get(), options.isCopy())))
                .isPresent()) {
            return before.get();
        }
        before.flatMap(state -> conflict(state, target.get(), options.isCopy())).ifPresent(reason -> {
            throw new ReencodeException(column.name(), reason);
        });
        return before.filter(State::isUnderWay).orElseGet(() -> {
            State first = State.begin(
                    program,
                    before.filter(state -> state.phase() == Phase.CHANGED)
                            .map(State::before)
                            .orElse(stored.orElseThrow()),
                    target.get(),
                    before.isEmpty() || before.get().phase() == Phase.REVERTED,
                    keyColumns,
                    Instant.now());
            return options.isCopy() ? first.with(State.Copy.PLANNED) : first;
        });
    }

    private AdmissionException refused(List<String> problems) {
        return new AdmissionException(column.name() + " cannot be changed:\n  " + String.join("\n  ", problems)
                + (begun.isPresent() ? "\n  When that is repaired, the same command continues" : ""));
    }
}
