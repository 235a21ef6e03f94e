package dev.blobmark.reencode.world;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A transaction of the model. */
final class Transaction {

    /** A change of a row, as the log has it. */
    record RowChange(String table, Integer idBefore, Content before, Integer idAfter, Content after) {}

    enum Stage {
        OPEN,
        PREPARED,
        /** In the log, and not visible yet. */
        LOGGED,
        ENDED
    }

    /** Null when its session has ended. */
    Session session;

    /** Whether it was prepared when its session ended. */
    boolean isDetached;

    final String name;
    Stage stage = Stage.OPEN;

    /** What it has written and nobody else sees; a row that it has deleted is empty. */
    final Map<Table, TreeMap<Integer, Optional<Object>>> writes = new LinkedHashMap<>();

    final List<RowChange> changes = new ArrayList<>();

    /** Whether it is of a session whose changes are not logged. */
    boolean isUnlogged;

    /** Whether it is logged as statements. */
    boolean isStatement;

    /** Whether its rows are in events of a type that does not exist yet. */
    boolean isUnknown;

    boolean isMinimal;

    /** What it does to the table that the application knows, in the order of its statements: for the auditor. */
    final List<Auditor.Change> acknowledged = new ArrayList<>();

    Transaction(Session session) {
        this.session = session;
        name = session.name;
    }

    /** A row as this transaction sees it. */
    Object row(Table table, int id) {
        TreeMap<Integer, Optional<Object>> own = writes.get(table);
        if (own != null && own.containsKey(id)) {
            return own.get(id).orElse(null);
        }
        return table.rows.get(id);
    }

    /** All rows as this transaction sees them. */
    TreeMap<Integer, Object> rows(Table table) {
        TreeMap<Integer, Optional<Object>> own = writes.get(table);
        if (own == null) {
            return table.rows;
        }
        TreeMap<Integer, Object> all = new TreeMap<>(table.rows);
        own.forEach((id, row) -> {
            if (row.isPresent()) {
                all.put(id, row.get());
            } else {
                all.remove(id);
            }
        });
        return all;
    }

    void write(Table table, int id, Object row) {
        writes.computeIfAbsent(table, of -> new TreeMap<>()).put(id, Optional.ofNullable(row));
    }
}
