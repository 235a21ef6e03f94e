package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.binlog.IncompleteLogException;
import dev.blobmark.reencode.change.ChangeFeed;
import dev.blobmark.reencode.change.KeyColumns;
import dev.blobmark.reencode.change.LogFeed;
import dev.blobmark.reencode.change.LogPlace;
import dev.blobmark.reencode.change.PreparedTransactions;
import dev.blobmark.reencode.change.TriggerFeed;
import dev.blobmark.reencode.checkpoint.Differences;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.copy.ShadowCopy;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.copy.View;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.inplace.InPlace;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.WritingConnection;
import dev.blobmark.reencode.table.BytesColumn;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.table.TableIdentity;
import dev.blobmark.reencode.table.TableLock;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.throttle.Throttle;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

    /** Accepts all rows that differed. */
    private static final String ALL = "*";

    /** How long transactions that are prepared when the copy begins are waited for. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Endpoint endpoint;
    private final TableColumn column;
    private final TableKey key;
    private final StateTable states;
    private final Connection asking;
    private final CopyTables tables;

    /** @param asking a connection for short questions and DDL */
    public Copying(Endpoint endpoint, TableColumn column, TableKey key, StateTable states, Connection asking) {
        this.endpoint = endpoint;
        this.column = column;
        this.key = key;
        this.states = states;
        this.asking = asking;
        tables = new CopyTables(asking, column);
    }

    /** Makes the new table and prepares to find changes, if that is not done yet. */
    public State begin(State state) throws SQLException, InterruptedException {
        State.Copy copy = state.copy().orElseThrow();
        if (copy.tables().isPresent()) {
            return state;
        }
        State begun = state;
        if (copy.ddl().isEmpty()) { // what is removed below was made after this
            begun = state.with(copy.withDdl(Exchange.ddl(asking, column)));
            states.write(asking, begun);
        }
        new Differences(column).remove(asking); // those of an earlier change
        tables.removeUnknown(begun.copy().orElseThrow().ddl());
        ShadowTable.create(asking, column);
        Optional<LogPlace> place = Optional.empty();
        if (CopyChecks.isByLog(asking, Optional.empty())) {
            place = Optional.of(quietPlace(begun));
        } else {
            TriggerFeed.create(asking, column, key);
        }
        Optional<String> prepared = PreparedTransactions.awaitEnd(asking, PATIENCE_NANOS);
        if (prepared.isPresent()) {
            throw new AdmissionException(column.name() + ": " + prepared.get()
                    + "; commit them or roll them back; the same command continues");
        }
        State.Tables made = new State.Tables(
                tables.identity(column.table()).orElseThrow(tables::isAnother),
                tables.identity(ShadowNames.fresh(column.table())).orElseThrow(tables::isAnother),
                TriggerFeed.triggers(asking, column));
        begun = begun.with(begun.copy().orElseThrow().with(made)).at(place);
        states.write(asking, begun);
        return begun;
    }

    /**
     * The end of the log at a moment at which all that it has of the table is visible: a transaction is in the log
     * before others see its rows, by seconds where the server waits for replicas. Transactions become visible in the
     * order of the log. So when a transaction that is logged after the place has ended, all before the place are
     * visible. MySQL can be set otherwise; then a lock waits until they are.
     */
    private LogPlace quietPlace(State state) throws SQLException, InterruptedException {
        boolean isOrdered = CopyChecks.isOn(Sql.pairs(asking, "SHOW GLOBAL VARIABLES LIKE 'binlog_order_commits'")
                .getOrDefault("binlog_order_commits", "ON")); // MariaDB does not have it, and keeps the order
        if (isOrdered) {
            LogPlace place = LogPlace.now(endpoint, asking);
            states.write(asking, state);
            return place;
        }
        try (Connection locking = JdbcDriver.connectForChanging(endpoint)) {
            lockForReading(locking);
            try {
                return LogPlace.now(endpoint, asking);
            } finally {
                Sql.execute(locking, "UNLOCK TABLES");
            }
        }
    }

    private void lockForReading(Connection locking) throws SQLException, InterruptedException {
        tables.lock(locking, Names.quoted(column.schema(), column.table()) + " READ");
    }

    /**
     * Takes a copy back that was not exchanged.
     *
     * @param state of the copy
     * @return whether it was; otherwise the values are in the table that everybody uses
     * @throws ReencodeException if the comparison after the exchange has not ended
     */
    public boolean revert(State state) throws SQLException, InterruptedException {
        State.Copy copy = state.copy().orElseThrow();
        CopyTables.Where where = tables.where(state);
        tables.requireKnown(state, where);
        if (where == CopyTables.Where.FRESH) {
            throw new ReencodeException(
                    column.name(),
                    "the tables are exchanged, and the comparison after that has not ended",
                    "continue it with --to " + state.codec() + " before");
        }
        if (CopyTables.isByTriggers(copy)) {
            TriggerFeed.drop(asking, column);
        }
        if (Exchange.isSentry(asking, column)) {
            Sql.execute(asking, "DROP TABLE " + Exchange.former(column));
        }
        String fresh = ShadowNames.fresh(column.table());
        if (copy.tables().isEmpty()) {
            if (!copy.ddl().isEmpty()) {
                tables.removeUnknown(copy.ddl());
            }
        } else if (tables.exists(fresh)) {
            tables.lockAndDrop(
                    fresh,
                    () -> tables.identity(fresh)
                            .equals(Optional.of(copy.tables().get().fresh())));
        }
        return true;
    }

    /**
     * Drops the former table.
     *
     * @throws ReencodeException if rows differed, and were not accepted; or if it is another table
     */
    public void finish(State state, Set<String> accepted) throws SQLException, InterruptedException {
        State.Copy copy = state.copy().orElseThrow();
        Optional<Verdict> verdict = copy.verdict();
        if (verdict.isPresent() && verdict.get().isOpen()) {
            List<String> all = new Differences(column)
                    .read(asking).stream()
                            .filter(each -> each.fate() != Differences.Fate.BROUGHT_OVER
                                    && each.fate() != Differences.Fate.EQUAL)
                            .map(each -> String.join(", ", each.key()))
                            .toList();
            // keys of several parts may look alike
            List<String> open = all.stream()
                    .filter(key -> !accepted.contains(key) || Collections.frequency(all, key) > 1)
                    .toList();
            boolean isAll = accepted.contains(ALL);
            if (isAll && all.contains(ALL) && !open.isEmpty() && !verdict.get().isTooMany()) {
                throw new ReencodeException(
                        column.name(),
                        "the key of one of these rows is " + ALL + ", and the others would be accepted too: "
                                + String.join("; ", open),
                        "accept the others by their keys in the same command. The former table was not dropped");
            }
            if (!isAll && (verdict.get().isTooMany() || !open.isEmpty())) {
                throw new ReencodeException(
                        column.name(),
                        verdict.get().isTooMany()
                                ? "too many rows of the former table and the new one differed at the exchange"
                                : "rows of the former table and the new one differed: " + String.join("; ", open),
                        "look at them in " + Differences.NAME
                                + " and in the former table; --accept KEY accepts one as it is, --accept '*' all, and those that look alike. The"
                                + " former table was not dropped");
            }
        }
        if (CopyTables.isByTriggers(copy)) {
            TriggerFeed.drop(asking, column);
        }
        String former = ShadowNames.former(column.table());
        boolean wasExchanged = copy.tables().isPresent() && verdict.isPresent();
        if (wasExchanged && tables.exists(former)) {
            tables.lockAndDrop(
                    former,
                    () -> tables.identity(former)
                            .equals(Optional.of(copy.tables().get().former())));
        }
        new Differences(column).remove(asking);
    }

    /**
     * Copies, compares, exchanges, and compares again.
     *
     * @param start of the copy
     * @return the state after that
     * @throws CopyEndedException if it cannot be completed with certainty; nothing is exchanged
     */
    public State run(
            State begin,
            Start start,
            Conversion conversion,
            Chunks.Limits limits,
            Throttle throttle,
            InPlace.Listener progress,
            ReencodeListener listener)
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
                states.write(asking, state);
            }
            if (where == CopyTables.Where.FORMER
                    && state.copy().orElseThrow().log().isEmpty()) {
                tables.requireTriggers(state);
            }
            Optional<View> view = Optional.empty();
            boolean isExchanged = where == CopyTables.Where.FRESH;
            boolean isCompared = false;
            try (Connection working = JdbcDriver.connectForChanging(endpoint)) {
                if (where == CopyTables.Where.FORMER) {
                    Exchanged exchanged = exchanged(state, start, progress, listener);
                    state = exchanged.state();
                    view = exchanged.view();
                    isExchanged = true;
                }
                State judged = witnessed(state, view, conversion, limits, throttle, working, listener);
                isCompared = true;
                return judged;
            } finally {
                if (isExchanged && !isCompared) {
                    listener.noticeIssued(NOT_COMPARED);
                }
                if (view.isPresent()) {
                    view.get().close();
                }
            }
        } catch (IncompleteLogException e) {
            throw new CopyEndedException(column.name(), e.getMessage(), e);
        }
    }

    /** After the exchange. */
    private record Exchanged(State state, Optional<View> view) {}

    private Exchanged exchanged(State begin, Start start, InPlace.Listener progress, ReencodeListener listener)
            throws SQLException, InterruptedException {
        Optional<LogPlace> place = begin.copy().orElseThrow().log();
        try (ChangeFeed feed = place.isPresent()
                        ? new LogFeed(
                                endpoint,
                                CopyChecks.name(asking, column),
                                KeyColumns.reader(asking, column, key),
                                place.get(),
                                Optional.empty())
                        : TriggerFeed.open(column, key);
                ShadowCopy copy = start.with(feed);
                Connection locking = JdbcDriver.connectForChanging(endpoint);
                Connection other = JdbcDriver.connectForChanging(endpoint)) {
            State state = copy.run(begin, progress);
            listener.noticeIssued(COMPARING);
            try (View both = View.open(JdbcDriver.connectForChanging(endpoint))) {
                state = copy.compare(state, locking, both);
            }
            listener.noticeIssued(EXCHANGING);
            WritingConnection.prepare(locking);
            List<String> written = new ArrayList<>(List.of(ShadowTable.fresh(column), states.table()));
            if (place.isEmpty()) {
                written.add(TriggerFeed.changes(column));
            }
            try (ShadowCopy.Applier last = copy.over(locking)) {
                LastMoment moment =
                        new LastMoment(endpoint, tables, states, state, last, locking, place.isPresent(), listener);
                Exchange exchange = new Exchange(column, written, locking, other, asking);
                boolean isExchanged = false;
                try {
                    isExchanged = exchange.run(moment);
                } finally {
                    if (!isExchanged && moment.view().isPresent()) {
                        moment.view().get().close();
                    }
                }
                if (!isExchanged) {
                    throw moment.waiting()
                            .map(prepared -> new AdmissionException(column.name() + ": " + prepared
                                    + "; commit them or roll them back; the same command tries again"))
                            .orElseGet(() -> TableLock.held(column.name()));
                }
                return new Exchanged(moment.state(), moment.view());
            }
        }
    }

    /** Compares both tables as they were at the exchange, while nobody changes the former one. */
    private State witnessed(
            State exchanged,
            Optional<View> view,
            Conversion conversion,
            Chunks.Limits limits,
            Throttle throttle,
            Connection working,
            ReencodeListener listener)
            throws SQLException, InterruptedException {
        State state = exchanged;
        listener.noticeIssued(COMPARING_AGAIN);
        Map<String, String> type = Sql.row(
                asking,
                "SELECT data_type FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND column_name ="
                        + " ?",
                column.schema(),
                ShadowNames.former(column.table()),
                column.column());
        Optional<TableIdentity> former = tables.identity(ShadowNames.former(column.table()));
        if (type.isEmpty()
                || !former.equals(Optional.of(
                        state.copy().orElseThrow().tables().orElseThrow().former()))) {
            throw new ReencodeException(
                    column.name(),
                    "the tables are exchanged, and the former one, which was to be compared, is gone or another one",
                    "whether all changes of others are in the table is not known: compare with a backup or a replica");
        }
        try (Connection keeping = JdbcDriver.connectForChanging(endpoint)) {
            tables.lock(keeping, Exchange.former(column) + " READ");
            WritingConnection.prepare(working);
            ComparedTables compared = new ComparedTables(
                    endpoint,
                    column,
                    key,
                    BytesColumn.value(column, type.get("data_type")),
                    limits,
                    conversion,
                    asking);
            State judged = new Witness(compared, states, throttle).run(state, view, working, listener);
            state = judged.ended();
        }
        states.write(asking, state);
        if (CopyTables.isByTriggers(state.copy().orElseThrow())) {
            // their table stays until the end: statements that waited during the exchange may still look for it
            TriggerFeed.dropTriggers(asking, column);
        }
        return state;
    }

    /** Makes a copy that takes changes from a feed. */
    public interface Start {
        ShadowCopy with(ChangeFeed feed) throws SQLException;
    }
}
