package dev.blobmark.reencode.world;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A server: tables with rows that become visible when transactions end, locks of rows and of tables, and a binary log
 * that has a transaction before others see it. The differences of the products are in {@link Product}.
 */
final class Model {

    static final String DEFINITION = "the definition";
    static final String TABLE = "t";
    static final String FRESH = "t_blobmark_new";
    static final String FORMER = "t_blobmark_old";
    static final String KEYS = "t_blobmark_keys";
    static final String STATES = "blobmark_reencode";
    static final String SENTRY = "blobmark: placeholder";

    /** What the products do differently. */
    enum Product {
        /**
         * The session that holds LOCK TABLES may rename (since 8.0.13). A prepared transaction keeps its locks of
         * definitions when its session ends (Bug 12160 of the 5.x series is repaired), so LOCK TABLES waits for it.
         */
        MYSQL(true, true),
        /**
         * RENAME is refused under LOCK TABLES (error 1192). LOCK TABLES does not wait for a prepared transaction whose
         * session has ended, and RENAME does. A session that wants to lock a table for writing or to alter it while
         * another one waits to lock it for reading, for the end of a change, is chosen to end a deadlock (seen on
         * 11.4.5).
         */
        MARIADB(false, false);

        final boolean isRenamedByHolder;
        final boolean isLockedByDetached;

        Product(boolean isRenamedByHolder, boolean isLockedByDetached) {
            this.isRenamedByHolder = isRenamedByHolder;
            this.isLockedByDetached = isLockedByDetached;
        }
    }

    final World world;
    final Product product;

    /** Whether transactions become visible in the order of the log. */
    final boolean isOrdered;

    final boolean hasLog;

    /** By their present names. */
    final Map<String, Table> tables = new LinkedHashMap<>();

    /** In the log and not visible, in the order of the log. */
    final List<Transaction> logged = new ArrayList<>();

    /** By XA PREPARE, until they have ended. */
    final List<Transaction> prepared = new ArrayList<>();

    final Set<Session> sessions = new HashSet<>();

    /** The present file, and the first one that was not removed. */
    LogFile log;

    LogFile firstLog;

    /** Who has the lock of the change (GET_LOCK); null for nobody. */
    Session changeLock;

    /** What makes the log incomplete, as far as settings say. */
    Optional<String> logProblem = Optional.empty();

    /** A RENAME of another session that waits; null for none. */
    ModelExchange.Behind renaming;

    private long nextNumber = 100;
    private int nextKey = 1;
    private int seconds = 1_700_000_000;

    Model(World world, Product product, boolean isOrdered, boolean hasLog) {
        this.world = world;
        this.product = product;
        this.isOrdered = isOrdered;
        this.hasLog = hasLog;
        log = new LogFile(7, seconds);
        firstLog = log;
        make(STATES, "states", "");
    }

    Table make(String name, String definition, String comment) {
        Table table = new Table(nextNumber++, definition, comment);
        tables.put(name, table);
        return table;
    }

    Session connect(String name, Process process) {
        Session session = new Session(name, process);
        sessions.add(session);
        return session;
    }

    Transaction begin(Session session) {
        if (session.transaction == null) {
            session.transaction = new Transaction(session);
        }
        return session.transaction;
    }

    /** Whether the transaction of a session may use a table now; if so, nobody alters it before its end. */
    boolean uses(Session session, Table table, boolean isChange) {
        if (!isGranted(session, table, isChange ? Table.Use.WRITE : Table.Use.READ)) {
            return false;
        }
        use(begin(session), table, isChange);
        return true;
    }

    /** Whether the server chooses this session to end a deadlock. */
    boolean isVictim(Session session, Table table, Table.Use use) {
        return product == Product.MARIADB
                && (use == Table.Use.LOCK_WRITE || use == Table.Use.ALTER)
                && table.users.containsValue(Table.Use.WRITE)
                && table.waiting.stream()
                        .anyMatch(each -> each.session() != session && each.use() == Table.Use.LOCK_READ);
    }

    boolean isGranted(Session session, Table table, Table.Use use) {
        return table.isGranted(session, use, !product.isLockedByDetached);
    }

    private static void use(Transaction transaction, Table table, boolean isChange) {
        table.users.merge(
                transaction,
                isChange ? Table.Use.WRITE : Table.Use.READ,
                (one, other) -> one == Table.Use.WRITE ? one : other);
    }

    /** Whether no other transaction has changed a row and not ended. */
    static boolean isFree(Table table, int id, Transaction by) {
        Transaction holder = table.locks.get(id);
        return holder == null || holder == by;
    }

    void write(Transaction transaction, Table table, int id, Object row) {
        table.locks.put(id, transaction);
        transaction.write(table, id, row);
    }

    /** What triggers write. */
    void changed(Transaction transaction, int id) {
        Table keys = tables.get(KEYS);
        int number = nextKey++;
        use(transaction, keys, true);
        write(transaction, keys, number, id);
    }

    /** Writes it to the log; it becomes visible later. */
    void log(Transaction transaction) {
        if (hasLog && !transaction.isUnlogged) {
            log.query("BEGIN");
            writeRows(transaction);
            log.commit();
        }
        enqueue(transaction);
    }

    private void writeRows(Transaction transaction) {
        for (Transaction.RowChange change : transaction.changes) {
            if (transaction.isStatement) {
                log.query("UPDATE " + change.table() + " SET note = 'a statement'");
            } else if (transaction.isUnknown) {
                log.unknown();
            } else {
                log.row(
                        change.table(),
                        change.idBefore(),
                        change.before(),
                        change.idAfter(),
                        change.after(),
                        transaction.isMinimal);
            }
        }
    }

    private void enqueue(Transaction transaction) {
        transaction.stage = Transaction.Stage.LOGGED;
        logged.add(transaction);
    }

    /** XA PREPARE: both products log the rows now, and show them later. */
    void prepare(Transaction transaction) {
        if (hasLog && !transaction.isUnlogged) {
            log.query("XA START X'78',X'',1");
            writeRows(transaction);
            log.query("XA END X'78',X'',1");
            log.xaPrepare();
        }
        transaction.stage = Transaction.Stage.PREPARED;
        prepared.add(transaction);
    }

    /** XA COMMIT or XA ROLLBACK, of any session. XA RECOVER lists it until it is visible. */
    void endPrepared(Transaction transaction, boolean isCommitted) {
        if (hasLog && !transaction.isUnlogged) {
            log.query((isCommitted ? "XA COMMIT" : "XA ROLLBACK") + " X'78',X'',1");
        }
        if (isCommitted) {
            enqueue(transaction);
        } else {
            rollBack(transaction);
        }
    }

    /** Those that may become visible next. */
    List<Transaction> ready() {
        return logged.isEmpty() || !isOrdered ? logged : logged.subList(0, 1);
    }

    /** Makes it visible, and gives its locks back. */
    void show(Transaction transaction) {
        logged.remove(transaction);
        transaction.writes.forEach((table, rows) -> rows.forEach((id, row) -> {
            if (row.isPresent()) {
                table.rows.put(id, row.get());
            } else {
                table.rows.remove(id);
            }
        }));
        world.auditor.committed(transaction);
        release(transaction);
    }

    void rollBack(Transaction transaction) {
        release(transaction);
    }

    private void release(Transaction transaction) {
        prepared.remove(transaction);
        transaction.stage = Transaction.Stage.ENDED;
        for (Table table : tables.values()) {
            release(table, transaction);
        }
        transaction.writes.keySet().forEach(table -> release(table, transaction));
        if (transaction.session != null && transaction.session.transaction == transaction) {
            transaction.session.transaction = null;
        }
    }

    private static void release(Table table, Transaction transaction) {
        table.locks.values().removeIf(holder -> holder == transaction);
        table.users.remove(transaction);
    }

    void unlock(Session session) {
        for (Table table : session.locked) {
            table.lockers.remove(session);
        }
        session.locked.clear();
    }

    /** Lets a RENAME that waits go on, if nobody holds it back; it was there before all others of its first table. */
    void grant() {
        if (renaming != null) {
            renaming.progress();
        }
    }

    /** A session ends: what was not logged is rolled back. */
    void kill(Session session) {
        if (session.isDead) {
            return;
        }
        session.isDead = true;
        sessions.remove(session);
        tables.values().forEach(table -> table.leave(session));
        Transaction transaction = session.transaction;
        if (transaction != null) {
            session.transaction = null;
            transaction.session = null;
            transaction.isDetached = transaction.stage == Transaction.Stage.PREPARED;
            if (transaction.stage == Transaction.Stage.OPEN) {
                rollBack(transaction);
            }
        }
        unlock(session);
        if (renaming != null && renaming.session == session) {
            renaming.end(new java.sql.SQLException("lost", "08S01"));
        }
        if (changeLock == session) {
            changeLock = null;
        }
    }

    /** All sessions end; what is in the log is committed, and what is prepared stays. */
    void crash() {
        for (Session session : List.copyOf(sessions)) {
            kill(session);
        }
        while (!logged.isEmpty()) {
            show(logged.get(0));
        }
        rotate();
    }

    void rotate() {
        LogFile next = new LogFile(log.number() + 1, ++seconds);
        log.rotate(next);
        log = next;
    }

    /** RESET BINARY LOGS AND GTIDS: the files begin again, with a number of the DBA's. */
    void reset(int number) {
        firstLog = null;
        log = new LogFile(number, ++seconds);
        firstLog = log;
    }

    void purge() {
        for (LogFile file = firstLog; file != log; file = file.next) {
            file.isPurged = true;
        }
        firstLog = log;
    }

    /** A change of a definition, in the log. */
    void logged(String statement) {
        if (hasLog) {
            log.query(statement);
        }
    }

    /** Gives the two tables of a copy their names. */
    void exchange() {
        Table former = tables.remove(TABLE);
        Table fresh = tables.remove(FRESH);
        tables.put(TABLE, fresh);
        tables.put(FORMER, former);
        logged("RENAME TABLE `shop`.`t` TO `shop`.`t_blobmark_old`, `shop`.`t_blobmark_new` TO `shop`.`t`");
        world.auditor.exchanged();
    }
}
