package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.checkpoint.Differences;
import dev.blobmark.reencode.checkpoint.Differences.Difference;
import dev.blobmark.reencode.checkpoint.Differences.Fate;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.copy.View;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.row.RowDigest;
import dev.blobmark.reencode.row.Sum;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.throttle.Throttle;
import dev.blobmark.value.FrameException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Compares the former table with the new one after the exchange, and so finds what the feed of changes has missed,
 * whoever caused it and however. Nobody writes the former table any more, and the new one is compared as it was when
 * the exchange began: later changes of the application are not looked at.
 *
 * <p>Two read views show that: one of the new table, opened under the last lock, before which only this process had
 * written to it; one of the former table, opened when the RENAME had returned. Where a view is lost, the {@link Sum} of
 * what was written to the new table is compared with the former one.
 */
public final class Witness {

    private static final int NO_SUCH_COLUMN = 1054;
    private static final int ROWS_AT_ONCE = 1_000;

    private final ComparedTables tables;
    private final StateTable states;
    private final Throttle throttle;
    private final Differences differences;

    Witness(ComparedTables tables, StateTable states, Throttle throttle) {
        this.tables = tables;
        this.states = states;
        this.throttle = throttle;
        differences = new Differences(tables.column());
    }

    /**
     * Compares the tables, and brings over what was lost.
     *
     * @param fresh view of the new table under the last lock; empty if a former process has made the exchange
     * @param working a connection for transactions
     */
    State run(State begin, Optional<View> fresh, Connection working, ReencodeListener listener)
            throws SQLException, InterruptedException {
        if (begin.copy().orElseThrow().verdict().isPresent()) {
            return begin; // decided, and lost before the change was ended
        }
        differences.create(tables.asking());
        State state = begin;
        if (!differences.read(tables.asking()).isEmpty()) { // a former process has compared
            return repaired(state, working, new Comparison.Found(0, differences.read(tables.asking()), false), true);
        }
        if (fresh.isPresent() && fresh.get().isReleasing()) {
            try (View old = View.open(JdbcDriver.connectForChanging(tables.endpoint()))) {
                Comparison.Found found = new Comparison(tables, throttle).run(old, fresh.get());
                return repaired(state, working, found, true);
            } catch (Comparison.ViewLostException e) {
                listener.noticeIssued("the former table is compared by its digest: " + e.getMessage());
            }
        }
        return byDigest(state, working);
    }

    /** Deals with each row that differed in a transaction of its own. */
    private State repaired(State begin, Connection working, Comparison.Found found, boolean byViews)
            throws SQLException, InterruptedException {
        working.rollback();
        differences.add(working, found.differences());
        if (found.isTooMany()) { // in one transaction: nobody may take them for few
            return decided(begin, working, found.rows(), true, byViews);
        }
        working.commit();
        BringingOver bringing = new BringingOver(tables, begin.copy().orElseThrow(), differences, throttle);
        if (!found.differences().isEmpty() && bringing.isAllowed()) {
            bringing.run(found.differences());
        } else {
            for (Difference each : found.differences()) {
                if (each.fate() == Fate.FOUND) {
                    differences.decide(working, each, Fate.CONFLICT);
                }
            }
            working.commit();
        }
        return decided(begin, working, found.rows(), false, byViews);
    }

    private State decided(State state, Connection working, long rows, boolean isTooMany, boolean byViews)
            throws SQLException {
        Map<Fate, Long> fates = new LinkedHashMap<>();
        differences.read(working).forEach(each -> fates.merge(each.fate(), 1L, Long::sum));
        State.Copy copy = state.copy().orElseThrow();
        State decided = state.with(copy.with(new Verdict(
                Math.max(rows, copy.sum().rows()),
                fates.getOrDefault(Fate.BROUGHT_OVER, 0L),
                fates.getOrDefault(Fate.CONFLICT, 0L) + fates.getOrDefault(Fate.FOUND, 0L),
                fates.getOrDefault(Fate.UNDECIDED, 0L),
                isTooMany,
                byViews)));
        states.write(working, decided);
        working.commit();
        return decided;
    }

    /** Compares the former table with the sum of what was written to the new one. */
    private State byDigest(State state, Connection working) throws SQLException, InterruptedException {
        working.rollback();
        TableColumn former = tables.former();
        TableKey key = tables.key();
        TableKey formerKey = tables.formerKey();
        RowDigest digest = RowDigest.of(tables.asking(), former, formerKey);
        Sum found = Sum.ZERO;
        Optional<List<Object>> after = Optional.empty();
        while (true) {
            throttle.awaitPermission();
            long start = System.nanoTime();
            TableKey.Range range = after.map(formerKey::after).orElseGet(formerKey::all);
            int columns = key.names().size();
            int rows = 0;
            long bytes = 0;
            try (PreparedStatement select =
                    working.prepareStatement("SELECT " + formerKey.selected() + ", " + tables.value() + ", "
                            + digest.key() + ", " + digest.others() + range.sql() + " LIMIT " + ROWS_AT_ONCE)) {
                select.setFetchSize(JdbcDriver.MARIADB.streamingFetchSize());
                range.bind(select);
                try (ResultSet row = select.executeQuery()) {
                    while (bytes < Chunks.MAX_BYTES && row.next()) {
                        byte[] stored = row.getBytes(columns + 1);
                        bytes += stored == null ? 0 : stored.length;
                        byte[] encoded = stored == null
                                        || stored.length > tables.limits().maxLength()
                                ? stored
                                : encoded(stored);
                        List<Object> of = key.read(row, 1);
                        found = found.plus(RowDigest.of(
                                row.getLong(columns + 2),
                                encoded,
                                RowDigest.others(former, row, columns + 3, RowDigest.place(key, of))));
                        after = Optional.of(of);
                        rows++;
                    }
                }
            }
            working.rollback();
            if (rows == 0) {
                break;
            }
            throttle.worked(System.nanoTime() - start, 0);
        }
        if (found.equals(state.copy().orElseThrow().sum())) {
            return decided(state, working, found.rows(), false, false);
        }
        return undecided(state, working, found.rows());
    }

    private byte[] encoded(byte[] stored) {
        try {
            return tables.conversion().convert(stored).stored();
        } catch (FrameException e) {
            return stored;
        }
    }

    /** Something differs, or was changed since: all rows that differ now are named. */
    private State undecided(State state, Connection working, long rows) throws SQLException, InterruptedException {
        Comparison.Found found;
        try (View old = View.open(JdbcDriver.connectForChanging(tables.endpoint()));
                View fresh = View.open(JdbcDriver.connectForChanging(tables.endpoint()))) {
            found = new Comparison(tables, throttle).run(old, fresh);
        } catch (Comparison.ViewLostException e) {
            throw new SQLException(e.getMessage(), "08S01", e);
        } catch (SQLException e) {
            if (e.getErrorCode() != NO_SUCH_COLUMN) {
                throw e;
            }
            return decided(state, working, rows, true, false); // the table has other columns now
        }
        List<Difference> undecided = found.differences().stream()
                .map(each -> new Difference(each.key(), each.former(), each.fresh(), Fate.UNDECIDED))
                .toList();
        differences.add(working, undecided); // in one transaction with the verdict
        return decided(state, working, rows, found.differences().size() >= Comparison.MOST, false);
    }
}
