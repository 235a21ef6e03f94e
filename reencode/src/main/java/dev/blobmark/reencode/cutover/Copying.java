package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.binlog.IncompleteLogException;
import dev.blobmark.reencode.change.LogPlace;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.copy.BothTables;
import dev.blobmark.reencode.copy.ShadowCopy;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.inplace.InPlace;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.table.TableLock;
import dev.blobmark.reencode.terms.ReencodeListener;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The course of a shadow copy: its tables, how changes are found, the comparison, the exchange. */
public final class Copying {

    /** When rows are copied, and others still use the former table. */
    public static final String COMPARING = "comparing";

    /** Before the former table is locked. */
    public static final String EXCHANGING = "exchanging";

    /** When the new table is in use. */
    public static final String COMPARING_AGAIN = "comparing what was exchanged";

    public static final String NOT_COMPARED =
            "the tables are exchanged, and not yet compared: do not drop the former one;"
                    + " the same command compares them";

    /** How long transactions that are prepared when the copy begins are waited for. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final CopyServer server;
    private final TableColumn column;
    private final Clock clock;
    private final CopyTables tables;

    public Copying(CopyServer server, TableColumn column, Clock clock) {
        this.server = server;
        this.column = column;
        this.clock = clock;
        tables = new CopyTables(server, column);
    }

    /** Makes the new table and prepares to find changes, if that is not done yet. */
    public State begin(State state) throws SQLException, InterruptedException {
        State.Copy copy = state.copy().orElseThrow();
        if (copy.tables().isPresent()) {
            return state;
        }
        State begun = state;
        if (copy.ddl().isEmpty()) { // what is removed below was made after this
            begun = state.with(copy.withDdl(server.definition()));
            server.write(begun);
        }
        server.removeUnknown(begun.copy().orElseThrow().ddl());
        server.makeFresh();
        Optional<LogPlace> place = Optional.empty();
        if (server.isByLog()) {
            place = Optional.of(quietPlace(begun));
        } else {
            server.makeTriggers();
        }
        Optional<String> prepared = server.awaitPrepared(PATIENCE_NANOS);
        if (prepared.isPresent()) {
            throw new AdmissionException(column.name() + ": " + prepared.get()
                    + "; commit them or roll them back; the same command continues");
        }
        State.Tables made = new State.Tables(
                tables.identity(column.table()).orElseThrow(tables::isAnother),
                tables.identity(ShadowNames.fresh(column.table())).orElseThrow(tables::isAnother),
                server.triggers());
        begun = begun.with(begun.copy().orElseThrow().with(made)).at(place);
        server.write(begun);
        return begun;
    }

    /**
     * The end of the log at a moment at which all that it has of the table is visible: a transaction is in the log
     * before others see its rows, by seconds where the server waits for replicas. Transactions become visible in the
     * order of the log. So when a transaction that is logged after the place has ended, all before the place are
     * visible. MySQL can be set otherwise; then a lock waits until they are.
     */
    private LogPlace quietPlace(State state) throws SQLException, InterruptedException {
        if (!server.isLogOrdered()) {
            return server.lockedLogNow();
        }
        LogPlace place = server.logNow();
        server.write(state);
        return place;
    }

    /**
     * Copies, compares, exchanges, and compares again.
     *
     * @return the state after that
     * @throws CopyEndedException if it cannot be completed with certainty; nothing is exchanged
     */
    public State run(State begin, InPlace.Listener progress, ReencodeListener listener)
            throws SQLException, InterruptedException {
        try {
            State state = begin;
            CopyTables.Where where = tables.where(state);
            tables.requireKnown(state, where);
            if (where == CopyTables.Where.UNKNOWN) {
                throw tables.isAnother();
            }
            if (where == CopyTables.Where.FORMER && state.copy().orElseThrow().isExchanging()) {
                state = state.with(state.copy().orElseThrow().notExchanged());
                server.write(state);
            }
            if (where == CopyTables.Where.FORMER
                    && state.copy().orElseThrow().log().isEmpty()) {
                tables.requireTriggers(state, server.triggers());
            }
            boolean isExchanged = where == CopyTables.Where.FRESH;
            boolean isCompared = false;
            try {
                if (!isExchanged) {
                    state = exchanged(state, progress, listener);
                    isExchanged = true;
                }
                listener.noticeIssued(COMPARING_AGAIN);
                State judged = server.judged(state);
                isCompared = true;
                return judged;
            } finally {
                if (isExchanged && !isCompared) {
                    listener.noticeIssued(NOT_COMPARED);
                }
                server.closeView();
            }
        } catch (IncompleteLogException e) {
            throw new CopyEndedException(column.name(), e.getMessage(), e);
        }
    }

    private State exchanged(State begin, InPlace.Listener progress, ReencodeListener listener)
            throws SQLException, InterruptedException {
        try (CopyServer.CopySessions opened = server.open(begin)) {
            ShadowCopy copy = opened.copy();
            State state = copy.run(begin, progress);
            listener.noticeIssued(COMPARING);
            try (BothTables both = opened.both()) {
                state = copy.compare(state, opened.lock(), both);
            }
            state = copy.catchUp(state);
            listener.noticeIssued(EXCHANGING);
            Exchange exchange = new Exchange(column, opened.exchange(), clock);
            LastMoment moment = new LastMoment(server, opened, tables, state, listener);
            boolean isExchanged = false;
            try {
                isExchanged = exchange.run(moment);
            } finally {
                if (!isExchanged) {
                    server.closeView();
                }
            }
            if (!isExchanged) {
                throw moment.waiting()
                        .map(prepared -> new AdmissionException(column.name() + ": " + prepared
                                + "; commit them or roll them back; the same command tries again"))
                        .orElseGet(() -> TableLock.held(column.name()));
            }
            return moment.state();
        }
    }
}
