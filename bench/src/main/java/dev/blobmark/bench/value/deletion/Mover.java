package dev.blobmark.bench.value.deletion;

import dev.blobmark.mysql.client.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.apache.commons.rng.UniformRandomProvider;

/** A session that moves values, one statement after another, by a thread of its own: it may wait for a lock. */
final class Mover implements AutoCloseable {

    private static final List<String> LEVELS =
            List.of("READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE");

    private static final List<String> LOCKS = List.of("", "", " FOR UPDATE", " LOCK IN SHARE MODE");

    private enum State {
        IDLE,
        OPEN,
        /** Of a transaction that is to be prepared. */
        GLOBAL,
        /** Its connection may be another one by now. */
        PREPARED
    }

    /** Connects to the server of the race. */
    interface Connecting {
        Connection connect() throws SQLException;
    }

    private final int number;
    private final Connecting connecting;
    private final Consumer<String> history;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(work -> {
        Thread made = new Thread(work, "mover");
        made.setDaemon(true);
        return made;
    });
    private CompletableFuture<Void> running = CompletableFuture.completedFuture(null);

    /** Values that were read in this transaction. */
    private final List<byte[]> held = new ArrayList<>();

    private Connection connection;
    private volatile State state = State.IDLE;
    private int transactions;
    private int statements;

    Mover(int number, Connecting connecting, Consumer<String> history) throws SQLException {
        this.number = number;
        this.connecting = connecting;
        this.history = history;
        connection = connected();
    }

    private Connection connected() throws SQLException {
        Connection made = connecting.connect();
        Sql.execute(made, "SET SESSION innodb_lock_wait_timeout = 2, lock_wait_timeout = 2, autocommit = 1");
        return made;
    }

    boolean isFree() {
        return running.isDone();
    }

    boolean isOpen() {
        return state != State.IDLE;
    }

    int statements() {
        return statements;
    }

    /** Begins a statement that is drawn. */
    void next(UniformRandomProvider random, Tables tables, boolean mayBegin) {
        long seed = random.nextLong();
        UniformRandomProvider own = Race.random(seed);
        statements++;
        running = CompletableFuture.runAsync(() -> act(own, tables, mayBegin), thread);
    }

    /**
     * Waits for the statement that is under way, writes all values that the transaction has or sees, and commits it.
     */
    void end(Tables tables) {
        running.join();
        try {
            if (state == State.IDLE) {
                return;
            }
            if (state != State.PREPARED) {
                for (String table : tables.names()) {
                    hold(table, "");
                }
                insertHeld(tables.names().get(0));
            }
            end(true);
        } catch (SQLException e) {
            abandon();
        }
        state = State.IDLE;
    }

    private void end(boolean isCommit) throws SQLException {
        String how = isCommit ? "COMMIT" : "ROLLBACK";
        switch (state) {
            case GLOBAL -> {
                run("XA END '" + xid() + "'");
                run("XA " + how + " '" + xid() + "'" + (isCommit ? " ONE PHASE" : ""));
            }
            case PREPARED -> run("XA " + how + " '" + xid() + "'");
            default -> run(how);
        }
        state = State.IDLE;
        held.clear();
    }

    /** It stays until it is ended; sometimes nobody has it meanwhile. */
    private void prepare(UniformRandomProvider random) throws SQLException {
        run("XA END '" + xid() + "'");
        run("XA PREPARE '" + xid() + "'");
        state = State.PREPARED;
        if (random.nextBoolean()) {
            connection.close();
            history.accept("session " + number + ": disconnects");
            connection = connected();
        }
    }

    private String xid() {
        return number + "-" + transactions;
    }

    private void run(String sql) throws SQLException {
        try {
            Sql.execute(connection, sql);
            history.accept("session " + number + ": " + sql);
        } catch (SQLException e) {
            history.accept("session " + number + ": " + sql + " failed: " + e.getMessage());
            throw e;
        }
    }

    private void act(UniformRandomProvider random, Tables tables, boolean mayBegin) {
        try {
            if (state == State.IDLE && mayBegin && random.nextInt(3) > 0) {
                begin(random, tables);
            } else if (state != State.IDLE && random.nextInt(4) == 0) {
                if (state == State.GLOBAL && random.nextBoolean()) {
                    prepare(random);
                } else {
                    end(random.nextInt(5) > 0);
                }
            } else if (state != State.PREPARED && (state != State.IDLE || mayBegin)) {
                change(random, tables);
            }
        } catch (SQLException e) {
            boolean isRolledBack = e.getErrorCode() == 1213 || e.getErrorCode() == 1614 || state == State.GLOBAL;
            if (isRolledBack) { // one that is prepared is ended later
                abandon();
            }
        }
    }

    private void abandon() {
        for (String sql : List.of("XA END '" + xid() + "'", "XA ROLLBACK '" + xid() + "'", "ROLLBACK")) {
            try {
                Sql.execute(connection, sql);
            } catch (SQLException e) {
                // it is not in that state
            }
        }
        history.accept("session " + number + ": its transaction is rolled back");
        state = State.IDLE;
    }

    private void begin(UniformRandomProvider random, Tables tables) throws SQLException {
        held.clear();
        transactions++;
        run("SET SESSION TRANSACTION ISOLATION LEVEL " + LEVELS.get(random.nextInt(LEVELS.size())));
        int kind = random.nextInt(4);
        if (kind == 0 && tables.hasGlobal()) {
            run("XA START '" + xid() + "'");
            state = State.GLOBAL;
        } else {
            run(kind == 1 ? "START TRANSACTION WITH CONSISTENT SNAPSHOT" : "START TRANSACTION");
            state = State.OPEN;
        }
    }

    private void change(UniformRandomProvider random, Tables tables) throws SQLException {
        String from = tables.drawn(random);
        String to = tables.drawn(random);
        switch (random.nextInt(tables.hasDefinitions() && state == State.IDLE ? 12 : 9)) {
            case 0, 1 -> run("INSERT INTO " + to + " (payload) SELECT payload FROM " + from + " LIMIT 2");
            case 2 -> run("UPDATE " + from + " SET spare = payload, payload = NULL");
            case 3 -> run("UPDATE " + from + " SET payload = spare, spare = NULL");
            case 4 -> run("UPDATE " + from + " SET id = id + 1000 ORDER BY id DESC");
            case 5, 6 -> run("DELETE FROM " + from + (random.nextBoolean() ? "" : " ORDER BY id LIMIT 1"));
            case 7 -> hold(from, LOCKS.get(random.nextInt(LOCKS.size())));
            case 8 -> insertHeld(to);
            case 9 -> run("RENAME TABLE " + from + " TO kept, kept TO " + from);
            case 10 -> run("ALTER TABLE " + from + " FORCE");
            default -> run("CREATE TABLE made_" + number + "_" + statements + " AS SELECT payload FROM " + from);
        }
    }

    private void hold(String from, String lock) throws SQLException {
        if (state == State.IDLE) {
            return; // what was read in another transaction may be gone when it is written
        }
        String sql = "SELECT payload FROM " + from + " WHERE payload IS NOT NULL LIMIT 2" + lock;
        try (PreparedStatement select = connection.prepareStatement(sql);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                held.add(row.getBytes(1));
            }
        }
        history.accept("session " + number + ": " + sql + ", and holds " + held.size());
    }

    private void insertHeld(String to) throws SQLException {
        for (byte[] value : held) {
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO " + to + " (payload) VALUES (?)")) {
                insert.setBytes(1, value);
                insert.executeUpdate();
            }
        }
        if (!held.isEmpty()) {
            history.accept("session " + number + ": writes " + held.size() + " held values to " + to);
        }
    }

    @Override
    public void close() throws SQLException {
        thread.shutdown();
        connection.close();
    }
}
