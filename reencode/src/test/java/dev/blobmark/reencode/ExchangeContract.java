package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.cutover.Exchange;
import dev.blobmark.reencode.cutover.SqlTableExchange;
import dev.blobmark.reencode.table.TableLock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The exchange of two tables, with connections that fail at a statement. */
abstract class ExchangeContract extends OnServer {

    private static final TableColumn COLUMN = TableColumn.named("shop.exchanged.payload");

    /** What a failure of the network leaves. */
    private enum Lost {
        /** The server has not received the statement. */
        STATEMENT,
        /** The server has carried it out. */
        ANSWER
    }

    private final List<Connection> connections = new ArrayList<>();
    private final List<String> done = new ArrayList<>();

    abstract boolean isMariaDb();

    @BeforeEach
    void makeTheTables() throws SQLException {
        for (String table : List.of("exchanged", "exchanged_blobmark_new")) {
            users.execute(
                    "CREATE TABLE shop." + table + " (id INT PRIMARY KEY, payload BLOB) ENGINE=InnoDB",
                    "INSERT INTO shop." + table + " VALUES (1, '" + table + "')");
        }
    }

    @AfterEach
    void removeTheTables() throws SQLException {
        for (Connection connection : connections) {
            connection.close();
        }
        connections.clear();
        done.clear();
        users.execute("DROP TABLE IF EXISTS shop.exchanged, shop.exchanged_blobmark_new, shop.exchanged_blobmark_old");
    }

    Connection connect() throws SQLException {
        Connection connection = JdbcDriver.connectForChanging(server.endpoint());
        connections.add(connection);
        return connection;
    }

    Exchange exchange(Connection locking, Connection renaming) throws SQLException {
        return new Exchange(
                COLUMN,
                new SqlTableExchange(COLUMN, List.of(ShadowTable.fresh(COLUMN)), locking, renaming, connect()),
                Clock.SYSTEM);
    }

    /** A connection that is lost at the first statement that begins with a word. */
    private static Connection lostAt(Connection connection, String word, Lost lost) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    Object result = invoked(connection, method, arguments);
                    return result instanceof Statement statement
                                    && method.getName().equals("createStatement")
                            ? lostAt(statement, word, lost)
                            : result;
                });
    }

    private static Statement lostAt(Statement statement, String word, Lost lost) {
        return (Statement) Proxy.newProxyInstance(
                Statement.class.getClassLoader(), new Class<?>[] {Statement.class}, (proxy, method, arguments) -> {
                    boolean isLost = arguments != null && arguments[0] instanceof String sql && sql.startsWith(word);
                    if (!isLost || lost == Lost.ANSWER) {
                        Object result = invoked(statement, method, arguments);
                        if (!isLost) {
                            return result;
                        }
                    }
                    throw new SQLException("the connection was lost", "08S01");
                });
    }

    /** A connection with something that others do before each statement that begins with a word. */
    static Connection before(Connection connection, String word, List<String> others, OnServer server) {
        return before(connection, word, () -> server.users.execute(others.toArray(String[]::new)));
    }

    interface Disturbance {
        void run() throws SQLException, InterruptedException;
    }

    static Connection before(Connection connection, String word, Disturbance others) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    Object result = invoked(connection, method, arguments);
                    if (!(result instanceof Statement statement)
                            || !method.getName().equals("createStatement")) {
                        return result;
                    }
                    return Proxy.newProxyInstance(
                            Statement.class.getClassLoader(), new Class<?>[] {Statement.class}, (one, call, with) -> {
                                if (with != null && with[0] instanceof String sql && sql.startsWith(word)) {
                                    others.run();
                                }
                                return invoked(statement, call, with);
                            });
                });
    }

    private static Object invoked(Object target, Method method, Object... arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Counts what is called. */
    private Exchange.Last last(boolean isDone) {
        return new Exchange.Last() {
            @Override
            public boolean mayLock() {
                done.add("asked");
                return true;
            }

            @Override
            public boolean run() throws SQLException {
                done.add("locked: " + isAnotherKeptOut());
                return isDone;
            }
        };
    }

    private boolean isAnotherKeptOut() throws SQLException {
        try (Connection other = users.connect();
                Statement statement = other.createStatement()) {
            statement.execute("SET SESSION lock_wait_timeout = 1");
            statement.execute("SELECT * FROM shop.exchanged");
            return false;
        } catch (SQLException e) {
            assertThat(TableLock.isRepeated(e)).as(e.getMessage()).isTrue();
            return true;
        }
    }

    void assertExchanged(boolean isExchanged) throws SQLException {
        assertThat(users.single("SELECT payload FROM shop.exchanged"))
                .isEqualTo(isExchanged ? "exchanged_blobmark_new" : "exchanged");
        assertThat(users.single("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop' AND"
                        + " table_name LIKE 'exchanged\\_blobmark\\_%'"))
                .isEqualTo("1");
    }

    @Test
    void othersAreKeptOutWhileTheLastIsDone() throws Exception {
        assertThat(exchange(connect(), connect()).run(last(true))).isTrue();
        assertThat(done).containsExactly("asked", "locked: true");
        assertExchanged(true);
    }

    /** The statement may have been carried out or not: both are a lost connection for the caller, who looks again. */
    @Test
    void aLostAnswerIsNotTakenForNo() throws Exception {
        Exchange exchange = isMariaDb()
                ? exchange(connect(), lostAt(connect(), "RENAME", Lost.ANSWER))
                : exchange(lostAt(connect(), "RENAME", Lost.ANSWER), connect());
        assertThatThrownBy(() -> exchange.run(last(true)))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08S01"));
        assertThat(done).containsExactly("asked", "locked: true");
        assertExchanged(true);
    }

    /** What is done last is done only while the RENAME of the other session waits before all others. */
    @Test
    void aRenameThatDoesNotArriveExchangesNothing() throws Exception {
        Exchange exchange = isMariaDb()
                ? exchange(connect(), lostAt(connect(), "RENAME", Lost.STATEMENT))
                : exchange(lostAt(connect(), "RENAME", Lost.STATEMENT), connect());
        Exchange.Last once = new Exchange.Last() {
            private final Exchange.Last counted = last(true);

            @Override
            public boolean mayLock() throws SQLException, InterruptedException {
                if (!done.isEmpty()) {
                    throw new SQLException("not again");
                }
                return counted.mayLock();
            }

            @Override
            public boolean run() throws SQLException, InterruptedException {
                return counted.run();
            }
        };
        assertThatThrownBy(() -> exchange.run(once)).isInstanceOf(SQLException.class);
        assertThat(done).isEqualTo(isMariaDb() ? List.of("asked") : List.of("asked", "locked: true"));
        assertNotRenamed();
    }

    private void assertNotRenamed() throws SQLException {
        assertThat(users.single("SELECT payload FROM shop.exchanged")).isEqualTo("exchanged");
        assertThat(users.single("SELECT payload FROM shop.exchanged_blobmark_new"))
                .isEqualTo("exchanged_blobmark_new");
        assertExchanged(false);
    }

    /** The others wait while a lock is asked for. */
    @Test
    void noLockIsAskedForBeforeItIsWorthIt() throws Exception {
        Exchange.Last never = new Exchange.Last() {
            private int asked;

            @Override
            public boolean mayLock() throws SQLException {
                asked++;
                if (asked == 3) {
                    throw new SQLException("asked three times");
                }
                return false;
            }

            @Override
            public boolean run() {
                throw new AssertionError("under a lock");
            }
        };
        try (Connection reading = users.connect();
                Statement statement = reading.createStatement()) {
            reading.setAutoCommit(false);
            statement.execute("SELECT * FROM shop.exchanged"); // a lock would wait for this, and so would others
            assertThatThrownBy(() -> exchange(connect(), connect()).run(never)).hasMessage("asked three times");
        }
        assertNotRenamed();
    }

    /** An error that does not go away by itself. */
    @Test
    void aLockThatIsRefusedEndsIt() throws Exception {
        users.execute(
                "CREATE USER 'unlocking'@'%' IDENTIFIED BY 'x'",
                "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER ON shop.* TO 'unlocking'@'%'",
                "GRANT PROCESS ON *.* TO 'unlocking'@'%'");
        Endpoint own = server.endpoint();
        Connection locking = JdbcDriver.connectForChanging(new Endpoint(own.host(), own.port(), "unlocking", "x"));
        connections.add(locking);
        assertThatThrownBy(() -> exchange(locking, connect()).run(last(true)))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("denied");
        assertThat(done).containsExactly("asked");
        assertNotRenamed();
    }
}
