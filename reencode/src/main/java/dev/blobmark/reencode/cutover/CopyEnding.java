package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.change.TriggerFeed;
import dev.blobmark.reencode.checkpoint.Differences;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.table.ShadowNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** How a copy is taken back, and how its former table is dropped after the exchange. */
public final class CopyEnding {

    /** Accepts all rows that differed. */
    private static final String ALL = "*";

    private final TableColumn column;
    private final Connection asking;
    private final SqlTables tables;

    /** @param asking a connection for short questions and DDL */
    public CopyEnding(TableColumn column, Connection asking) {
        this.column = column;
        this.asking = asking;
        tables = new SqlTables(asking, column);
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
        CopyTables known = new CopyTables(tables, column);
        CopyTables.Where where = known.where(state);
        known.requireKnown(state, where);
        if (where == CopyTables.Where.FRESH) {
            throw new ReencodeException(
                    column.name(),
                    "the tables are exchanged, and the comparison after that has not ended",
                    "continue it with --to " + state.codec() + " before");
        }
        if (CopyTables.isByTriggers(copy)) {
            TriggerFeed.drop(asking, column);
        }
        if (SqlTableExchange.isSentry(asking, column)) {
            Sql.execute(asking, "DROP TABLE " + SqlTableExchange.former(column));
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
}
