package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.change.LogSettings;
import dev.blobmark.reencode.change.SqlFeedSession;
import dev.blobmark.reencode.checkpoint.Differences;
import dev.blobmark.reencode.checkpoint.Differences.Difference;
import dev.blobmark.reencode.checkpoint.Differences.Fate;
import dev.blobmark.reencode.checkpoint.RowContent;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.copy.View;
import dev.blobmark.reencode.row.Rewriter;
import dev.blobmark.reencode.row.RowDigest;
import dev.blobmark.reencode.row.RowReader;
import dev.blobmark.reencode.row.WritingConnection;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.TableIdentity;
import dev.blobmark.reencode.throttle.Throttle;
import dev.blobmark.value.FrameException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Writes rows that the new table lacks, as they are in the former one, where nobody has changed them since. */
final class BringingOver {

    /**
     * A row does not fit into the table as it is now: a value of a UNIQUE column or a key of another table (1062, 1451,
     * 1452), a column that is gone (1054) or takes other values (1264, 1366, 1406), a CHECK (3819, MariaDB: 4025).
     */
    private static final Set<Integer> UNFIT = Set.of(1062, 1451, 1452, 1054, 1264, 1366, 1406, 3819, 4025);

    private final ComparedTables tables;
    private final State.Copy copy;
    private final Differences differences;
    private final Throttle throttle;

    BringingOver(ComparedTables tables, State.Copy copy, Differences differences, Throttle throttle) {
        this.tables = tables;
        this.copy = copy;
        this.differences = differences;
        this.throttle = throttle;
    }

    /** Only changes that were not logged: replicas keep what was kept from them. The definition must be the same. */
    boolean isAllowed() throws SQLException {
        boolean isSame = TableIdentity.read(
                        tables.asking(),
                        tables.column().schema(),
                        tables.column().table())
                .equals(Optional.of(copy.tables().orElseThrow().fresh()));
        return isSame
                && CopyChecks.dependents(tables.asking(), tables.column(), true).isEmpty()
                && (copy.exchange().isPresent() || !LogSettings.hasLog(tables.asking()));
    }

    void run(List<Difference> found) throws SQLException, InterruptedException {
        try (Connection working = JdbcDriver.connectForChanging(tables.endpoint())) {
            boolean isLogged = copy.exchange().isPresent() && !View.leavesLog(working);
            WritingConnection.prepare(working);
            run(working, isLogged, found);
        }
    }

    /** @param working a connection whose transactions are not logged, unless it may not */
    private void run(Connection working, boolean isLogged, List<Difference> found)
            throws SQLException, InterruptedException {
        TableColumn column = tables.column();
        try (Touched touched = copy.exchange().isPresent()
                        ? Touched.since(tables, copy.exchange().get())
                        : Touched.UNKNOWN;
                ShadowTable table = new ShadowTable(
                        working,
                        column,
                        tables.key(),
                        tables.value(),
                        tables.former().table(),
                        column.table())) {
            RowContent.Reader now = new RowContent.Reader(
                    working,
                    column,
                    tables.key(),
                    RowDigest.texts(tables.asking(), tables.former()),
                    Names.quoted(column.column()));
            RowReader olds = tables.formerRows(working);
            for (Difference each : found) {
                if (each.fate() == Fate.FOUND) {
                    throttle.awaitPermission();
                    Fate fate =
                            isLogged ? left(each, now, working) : broughtOver(each, touched, table, now, olds, working);
                    differences.decide(tables.asking(), each, fate); // logged
                }
            }
        }
    }

    /** A row that may not be written. */
    private Fate left(Difference each, RowContent.Reader reader, Connection working) throws SQLException {
        try {
            return isSame(each.former(), reader.lock(tables.key().parse(each.key()))) ? equal(each) : Fate.CONFLICT;
        } catch (SQLException e) {
            if (!UNFIT.contains(e.getErrorCode())) {
                throw e;
            }
            return Fate.CONFLICT;
        } finally {
            working.rollback();
        }
    }

    /** Of a row that has the former content now. Whoever gave it that, it lacked a change if it differed. */
    private Fate equal(Difference each) {
        return isSame(each.former(), each.fresh()) ? Fate.EQUAL : Fate.BROUGHT_OVER;
    }

    /** Writes a row as it is in the former table, if that is possible, and nobody has changed it since. */
    private Fate broughtOver(
            Difference each,
            Touched touched,
            ShadowTable table,
            RowContent.Reader reader,
            RowReader olds,
            Connection working)
            throws SQLException, InterruptedException {
        List<Object> of = tables.key().parse(each.key());
        try {
            Optional<RowContent> now = reader.lock(of);
            if (isSame(each.former(), now)) {
                working.rollback();
                return equal(each); // also if a process was killed before it could write what it had done
            }
            // asked again for each row: while others were waited for, somebody may have made a foreign key
            if (now.equals(each.fresh()) && isAllowed()) {
                List<Rewriter.Change> rows = olds.find(of).stream()
                        .map(row -> new Rewriter.Change(
                                row,
                                row.stored().map(tables.conversion()::convert).orElse(null)))
                        .toList();
                if (now.isPresent()) {
                    table.replace(List.of(of), rows);
                } else { // nothing was locked: a row that others have inserted since stays
                    table.copy(rows);
                }
                // a row is left out if another one has its key, or its value of a UNIQUE column; this one is locked
                // now, so the log has all that others have done with it
                if (isSame(each.former(), reader.lock(of))
                        && !touched.has(
                                new SqlFeedSession(tables.endpoint(), working, tables.column(), tables.key()), of)) {
                    working.commit();
                    return Fate.BROUGHT_OVER;
                }
            }
            working.rollback();
            return Fate.CONFLICT;
        } catch (FrameException e) { // a value that was written without a log, and cannot be decoded
            working.rollback();
            return Fate.CONFLICT;
        } catch (SQLException e) {
            working.rollback();
            if (!UNFIT.contains(e.getErrorCode())) {
                throw e;
            }
            return Fate.CONFLICT;
        }
    }

    /** Whether two rows have the same value and the same other columns. */
    private boolean isSame(Optional<RowContent> old, Optional<RowContent> fresh) {
        if (old.isEmpty() || fresh.isEmpty()) {
            return old.isEmpty() && fresh.isEmpty();
        }
        Optional<byte[]> left = old.get().bytes(tables.column().column());
        Optional<byte[]> right = fresh.get().bytes(tables.column().column());
        if (!old.get().differing(fresh.get(), tables.column().column()).isEmpty()
                || left.isPresent() != right.isPresent()) {
            return false;
        }
        try {
            return left.isEmpty()
                    || Arrays.equals(
                            tables.conversion().value(left.get()),
                            tables.conversion().valueAfter(right.get(), false));
        } catch (FrameException e) {
            return false;
        }
    }
}
