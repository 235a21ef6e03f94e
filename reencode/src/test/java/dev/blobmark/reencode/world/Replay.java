package dev.blobmark.reencode.world;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.reencode.world.History.Kind;
import dev.blobmark.reencode.world.History.Statement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Executes a history on a server, one statement at a time, and says where the model is wrong. */
final class Replay implements AutoCloseable {

    /** A statement that the model lets wait must not end in this time. */
    private static final long WAIT_MILLIS = 40;

    private static final long MOST_SECONDS = 30;
    private static final int STATEMENTS = 14;
    private static final int ATTEMPTS = 3;

    private final Endpoint endpoint;
    private final Model.Product product;
    private final String schema;
    private final long seed;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Connection> sessions = new ArrayList<>();
    private final Map<Integer, Future<String>> running = new TreeMap<>();
    /** How many XA transactions each session has begun: the server may end one that is left a moment later. */
    private final Map<Integer, Integer> branches = new ConcurrentHashMap<>();

    private final List<String> told = new ArrayList<>();

    /** A difference that comes again: the server's threads may be slow. */
    static Optional<String> difference(Endpoint endpoint, Model.Product product, long seed)
            throws SQLException, InterruptedException {
        Optional<String> difference = Optional.empty();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try (Replay replay = new Replay(endpoint, product, seed, attempt)) {
                difference = replay.run();
            }
            if (difference.isEmpty()) {
                break;
            }
        }
        return difference;
    }

    private Replay(Endpoint endpoint, Model.Product product, long seed, int attempt) {
        this.endpoint = endpoint;
        this.product = product;
        schema = "replay" + seed + "_" + attempt;
        this.seed = seed;
    }

    /** @return what differs, with the history; empty if nothing does */
    Optional<String> run() throws SQLException, InterruptedException {
        try (Connection making = JdbcDriver.connectForLoading(endpoint, "")) {
            Sql.execute(making, "CREATE DATABASE " + schema);
            Sql.execute(making, "CREATE TABLE " + schema + ".t (id INT PRIMARY KEY, note VARCHAR(40)) ENGINE=InnoDB");
            Sql.execute(
                    making,
                    "INSERT INTO " + schema + ".t VALUES (1, 'begin'), (2, 'begin'), (3, 'begin'), (4, 'begin')");
        }
        for (int i = 0; i < History.SESSIONS; i++) {
            sessions.add(connect());
        }
        History history = new History(product, seed);
        Optional<String> difference = Optional.empty();
        for (int i = 0; i < STATEMENTS && difference.isEmpty(); i++) {
            Optional<Statement> next = history.next();
            if (next.isPresent()) {
                difference = step(history, next.get());
            }
        }
        for (Optional<Statement> end = history.nextEnd();
                end.isPresent() && difference.isEmpty();
                end = history.nextEnd()) {
            difference = step(history, end.get());
        }
        if (difference.isEmpty() && !rows().equals(history.rows())) {
            difference = Optional.of("the rows are " + rows() + ", and in the model " + history.rows());
        }
        if (difference.isEmpty()) { // otherwise something may wait for its tables
            try (Connection dropping = JdbcDriver.connectForLoading(endpoint, "")) {
                Sql.execute(dropping, "DROP DATABASE " + schema);
            }
        }
        return difference.map(how -> "seed " + seed + ": " + String.join("; ", told) + ": " + how);
    }

    private Connection connect() throws SQLException {
        Connection connection = JdbcDriver.connectForLoading(endpoint, schema);
        Sql.execute(connection, "SET SESSION innodb_lock_wait_timeout = 100, lock_wait_timeout = 100, autocommit = 1");
        Sql.execute(connection, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
        return connection;
    }

    private Optional<String> step(History history, Statement statement) throws SQLException, InterruptedException {
        told.add(statement.toString());
        if (statement.kind() == Kind.DISCONNECT) {
            disconnect(statement.session());
            running.put(statement.number(), java.util.concurrent.CompletableFuture.completedFuture(""));
        } else {
            Connection connection = sessions.get(statement.session());
            running.put(statement.number(), threads.submit(() -> answered(connection, statement)));
        }
        boolean isAnyWaiting = false;
        for (Map.Entry<Integer, Future<String>> each : running.entrySet()) {
            History.Answer expected = history.answer(each.getKey());
            if (expected.isDone()) {
                try {
                    String read = each.getValue().get(MOST_SECONDS, TimeUnit.SECONDS);
                    if (!read.equals(expected.read())) {
                        return Optional.of("statement " + each.getKey() + " reads '" + read + "' instead of '"
                                + expected.read() + "'");
                    }
                } catch (TimeoutException e) {
                    return Optional.of("statement " + each.getKey() + " waits, and not in the model");
                } catch (ExecutionException e) {
                    return Optional.of("statement " + each.getKey() + " fails: "
                            + e.getCause().getMessage());
                }
            } else {
                isAnyWaiting = true;
            }
        }
        if (isAnyWaiting) {
            Thread.sleep(WAIT_MILLIS);
            for (Map.Entry<Integer, Future<String>> each : running.entrySet()) {
                if (!history.answer(each.getKey()).isDone() && each.getValue().isDone()) {
                    return Optional.of("statement " + each.getKey() + " does not wait (" + ended(each.getValue())
                            + "), and in the model it does");
                }
            }
        }
        running.keySet().removeIf(number -> history.answer(number).isDone());
        return Optional.empty();
    }

    private static String ended(Future<String> statement) throws InterruptedException {
        try {
            return statement.get();
        } catch (ExecutionException e) {
            return e.getCause().getMessage();
        }
    }

    /** The server has noticed it when nothing of the session is left. */
    private void disconnect(int session) throws SQLException, InterruptedException {
        try (Connection asking = JdbcDriver.connectForLoading(endpoint, "")) {
            String id =
                    Sql.strings(sessions.get(session), "SELECT CONNECTION_ID()").get(0);
            sessions.get(session).close();
            String there = "SELECT id FROM information_schema.processlist WHERE id = " + id;
            while (!Sql.strings(asking, there).isEmpty()) {
                Thread.sleep(1);
            }
        }
        sessions.set(session, connect());
    }

    private String answered(Connection connection, Statement statement) throws SQLException {
        try {
            return executed(connection, statement);
        } catch (SQLException e) {
            if (e.getErrorCode() != 1213) {
                throw e;
            }
            return History.DEADLOCK;
        }
    }

    private String executed(Connection connection, Statement statement) throws SQLException {
        int owner = statement.id() == 0 ? statement.session() : statement.id() - 1;
        if (statement.kind() == Kind.XA_BEGIN) {
            branches.merge(owner, 1, Integer::sum);
        }
        String xid = "'" + schema + "','" + owner + " " + branches.get(owner) + "'";
        switch (statement.kind()) {
            case READ -> {
                return read(connection, "SELECT CONCAT(id, ' ', note, ', ') FROM t ORDER BY id");
            }
            case READ_LOCKED -> {
                return read(connection, "SELECT note FROM t WHERE id = " + statement.id() + " LOCK IN SHARE MODE");
            }
            case XA_PREPARE -> {
                Sql.execute(connection, "XA END " + xid);
                Sql.execute(connection, "XA PREPARE " + xid);
            }
            default ->
                Sql.execute(
                        connection,
                        switch (statement.kind()) {
                            case BEGIN -> "START TRANSACTION";
                            case XA_BEGIN -> "XA START " + xid;
                            case UPDATE ->
                                "UPDATE t SET note = '" + statement.note() + "' WHERE id = " + statement.id();
                            case DELETE -> "DELETE FROM t WHERE id = " + statement.id();
                            case INSERT -> "INSERT INTO t VALUES (" + statement.id() + ", '" + statement.note() + "')";
                            case COMMIT -> "COMMIT";
                            case ROLLBACK -> "ROLLBACK";
                            case XA_COMMIT -> "XA COMMIT " + xid;
                            case XA_ROLLBACK -> "XA ROLLBACK " + xid;
                            case LOCK_READ -> "LOCK TABLES t READ";
                            case LOCK_WRITE -> "LOCK TABLES t WRITE";
                            case UNLOCK -> "UNLOCK TABLES";
                            case RENAME -> "RENAME TABLE t TO t_other, t_other TO t";
                            default -> throw new IllegalStateException(statement.toString());
                        });
        }
        return "";
    }

    private static String read(Connection connection, String sql) throws SQLException {
        StringBuilder text = new StringBuilder();
        try (java.sql.Statement select = connection.createStatement();
                ResultSet row = select.executeQuery(sql)) {
            while (row.next()) {
                text.append(row.getString(1));
            }
        }
        return text.toString();
    }

    private Map<Integer, String> rows() throws SQLException {
        Map<Integer, String> rows = new TreeMap<>();
        try (Connection asking = JdbcDriver.connectForLoading(endpoint, schema);
                java.sql.Statement select = asking.createStatement();
                ResultSet row = select.executeQuery("SELECT id, note FROM t")) {
            while (row.next()) {
                rows.put(row.getInt(1), row.getString(2));
            }
        }
        return rows;
    }

    /** Ends what a difference has left. */
    @Override
    public void close() throws SQLException {
        threads.shutdownNow();
        for (Connection session : sessions) {
            session.abort(Runnable::run);
        }
        try (Connection asking = JdbcDriver.connectForLoading(endpoint, "")) {
            for (int i = 0; i < History.SESSIONS; i++) {
                for (int j = 1; j <= branches.getOrDefault(i, 0); j++) {
                    try {
                        Sql.execute(asking, "XA ROLLBACK '" + schema + "','" + i + " " + j + "'");
                    } catch (SQLException e) {
                        // it is not prepared
                    }
                }
            }
        }
    }
}
