package dev.blobmark.reencode.world;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A table of the model: what is committed, who has locked rows, and who uses its definition. */
final class Table {

    final long number;
    final String comment;
    String definition;

    /** RowSource that are visible, by key. */
    final TreeMap<Integer, Object> rows = new TreeMap<>();

    /** Who has changed a row and not ended yet. */
    final Map<Integer, Transaction> locks = new HashMap<>();

    /** Transactions that have read or changed it; nobody alters or locks it before they end. */
    final Set<Transaction> users = new LinkedHashSet<>();

    /** Those of {@link #users} that have changed it. */
    final Set<Transaction> changers = new LinkedHashSet<>();

    /** Who has locked it for writing or for reading by LOCK TABLES; null for nobody. */
    Session writeLock;

    Session readLock;

    /** Sessions that wait for such a lock or for its definition. Others wait behind them. */
    final List<Session> waiting = new ArrayList<>();

    /** What distinguishes its triggers; empty without. */
    List<String> triggers = List.of();

    Table(long number, String definition, String comment) {
        this.number = number;
        this.definition = definition;
        this.comment = comment;
    }

    /** Whether nobody waits for it longer. */
    boolean isFirst(Session session) {
        return waiting.isEmpty() || waiting.get(0) == session;
    }

    /** Whether a transaction of a session may use it now. */
    boolean mayUse(Session session, boolean isChange) {
        boolean isUser = session.transaction != null && users.contains(session.transaction);
        if (writeLock != null && writeLock != session || isChange && readLock != null && readLock != session) {
            return false;
        }
        return isUser || writeLock == session || waiting.stream().allMatch(each -> each == session);
    }
}
