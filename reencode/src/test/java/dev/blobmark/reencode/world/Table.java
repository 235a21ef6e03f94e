package dev.blobmark.reencode.world;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A table of the model: what is committed, who has locked rows, and who uses its definition. */
final class Table {

    /**
     * For what a table is used: the locks of definitions of {@code sql/mdl.h}, which both products have.
     * {@code ReplayIT} compares what waits for what with servers.
     */
    enum Use {
        /** SHARED_READ: SELECT. */
        READ,
        /** SHARED_WRITE: INSERT, UPDATE, DELETE. */
        WRITE,
        /** SHARED_READ_ONLY: LOCK TABLES READ. */
        LOCK_READ,
        /** SHARED_NO_READ_WRITE: LOCK TABLES WRITE. */
        LOCK_WRITE,
        /** EXCLUSIVE: RENAME, TRUNCATE, DROP. */
        ALTER;

        private boolean isCompatible(Use held) {
            return switch (this) {
                case READ -> EnumSet.of(READ, WRITE, LOCK_READ).contains(held);
                case WRITE -> EnumSet.of(READ, WRITE).contains(held);
                case LOCK_READ -> EnumSet.of(READ, LOCK_READ).contains(held);
                case LOCK_WRITE, ALTER -> false;
            };
        }

        /** Whether it waits while somebody else waits for another use. */
        private boolean yieldsTo(Use awaited) {
            Set<Use> first = switch (this) {
                case READ, WRITE -> EnumSet.of(LOCK_WRITE, ALTER);
                case LOCK_READ -> EnumSet.of(WRITE, LOCK_WRITE, ALTER);
                case LOCK_WRITE -> EnumSet.of(ALTER);
                case ALTER -> EnumSet.noneOf(Use.class);
            };
            return first.contains(awaited);
        }
    }

    /** A session that waits for a use. */
    record Waiting(Session session, Use use) {}

    final long number;
    final String comment;
    String definition;

    /** Rows that are visible, by key. */
    final TreeMap<Integer, Object> rows = new TreeMap<>();

    /** Who has changed a row and not ended yet. */
    final Map<Integer, Transaction> locks = new HashMap<>();

    /** Transactions that have read or changed it. */
    final Map<Transaction, Use> users = new LinkedHashMap<>();

    /** Who has locked it by LOCK TABLES. */
    final Map<Session, Use> lockers = new LinkedHashMap<>();

    /** In the order in which they came. */
    final List<Waiting> waiting = new ArrayList<>();

    /** What distinguishes its triggers; empty without. */
    List<String> triggers = List.of();

    Table(long number, String definition, String comment) {
        this.number = number;
        this.definition = definition;
        this.comment = comment;
    }

    void await(Session session, Use use) {
        waiting.add(new Waiting(session, use));
    }

    void leave(Session session) {
        waiting.removeIf(each -> each.session() == session);
    }

    /** Whether nobody who alters it has waited longer. */
    boolean isNextToAlter(Session session) {
        return waiting.stream()
                .filter(each -> each.use() == Use.ALTER)
                .findFirst()
                .filter(first -> first.session() != session)
                .isEmpty();
    }

    /**
     * Whether a session may use it now.
     *
     * @param isDetachedPassedOver whether LOCK TABLES does not wait for prepared transactions whose sessions have ended
     */
    boolean isGranted(Session session, Use use, boolean isDetachedPassedOver) {
        if (lockers.get(session) == Use.LOCK_WRITE) {
            return true;
        }
        Transaction own = session.transaction;
        Use held = own == null ? null : users.get(own);
        if (held == use || held == Use.WRITE && use == Use.READ) {
            return true;
        }
        for (Map.Entry<Transaction, Use> each : users.entrySet()) {
            boolean isPassedOver = each.getKey().isDetached && isDetachedPassedOver && use != Use.ALTER;
            if (each.getKey() != own && !isPassedOver && !use.isCompatible(each.getValue())) {
                return false;
            }
        }
        for (Map.Entry<Session, Use> each : lockers.entrySet()) {
            if (each.getKey() != session && !use.isCompatible(each.getValue())) {
                return false;
            }
        }
        boolean isBeforeOwn = true;
        for (Waiting each : waiting) {
            if (each.session() == session) {
                isBeforeOwn = false;
            } else if (use.yieldsTo(each.use()) || isBeforeOwn && each.use() == use && !use.isCompatible(use)) {
                return false;
            }
        }
        return true;
    }
}
