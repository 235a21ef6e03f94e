package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.integration.TestServers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** In which state the connections of a pool are given back. */
class OwnTransactionIT {

    private static final int BEFORE = 12_345;

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aConnectionHasItsTimeOutAgain(String product) throws Exception {
        try (Connection pooled = TestServers.source(product).getConnection()) {
            pooled.setNetworkTimeout(Runnable::run, BEFORE);
            DataSource pool = new SingleConnectionDataSource(pooled, true);

            int inside = OwnTransaction.reading(pool, Connection::getNetworkTimeout);
            assertThat(inside).isEqualTo(30_000);
            assertThat(pooled.getNetworkTimeout()).isEqualTo(BEFORE);

            assertThatThrownBy(() -> OwnTransaction.writing(pool, connection -> {
                        throw new SQLException("as a test wants it");
                    }))
                    .hasMessage("as a test wants it");
            assertThat(pooled.getNetworkTimeout()).isEqualTo(BEFORE);
            assertThat(pooled.isClosed()).isFalse();
        }
    }

    /** The level that was set for a transaction that could not begin. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aConnectionHasItsLevelAgainWhereNoTransactionBegins(String product) throws Exception {
        DataSource source = TestServers.source(product);
        TestServers.clean(source);
        TestServers.table(source, "orders");
        try (Connection owner = source.getConnection()) {
            Sql.execute(owner, "CREATE USER reading@'%' IDENTIFIED BY 'reading-1'");
            Sql.execute(owner, "GRANT SELECT, PROCESS ON *.* TO reading@'%'");
            String url = owner.getMetaData().getURL().replaceFirst("\\?.*", "");
            try (Connection pooled = DriverManager.getConnection(
                    url + (product.equals("MySQL") ? "?sslMode=trust" : ""), "reading", "reading-1")) {
                Sql.execute(pooled, "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE");
                Sql.execute(owner, "SET GLOBAL read_only = ON");
                assertThatThrownBy(() -> OwnTransaction.writing(
                                new SingleConnectionDataSource(pooled, true), connection -> true))
                        .isInstanceOf(SQLException.class);
                Sql.execute(pooled, "START TRANSACTION");
                Sql.strings(pooled, "SELECT id FROM shop.orders");
                LockSupport.parkNanos(150_000_000); // the server renews the list ten times a second at most
                assertThat(Sql.strings(
                                pooled,
                                "SELECT trx_isolation_level FROM information_schema.innodb_trx WHERE"
                                        + " trx_mysql_thread_id = CONNECTION_ID()"))
                        .containsExactly("SERIALIZABLE");
            } finally {
                Sql.execute(owner, "SET GLOBAL read_only = OFF");
                Sql.execute(owner, "DROP USER reading@'%'");
                TestServers.clean(source);
            }
        }
    }

    /** What it holds in its transaction would be committed by whoever gets it next. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aConnectionThatCannotRollBackIsNotGivenBack(String product) throws Exception {
        DataSource source = TestServers.source(product);
        TestServers.clean(source);
        TestServers.table(source, "orders");
        AtomicReference<Connection> given = new AtomicReference<>();
        DataSource pool = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                given.set(super.getConnection());
                return unableToRollBack(given.get());
            }
        };

        assertThatThrownBy(() -> OwnTransaction.writing(pool, connection -> {
                    Sql.execute(connection, "INSERT INTO orders VALUES (1, 'not to be committed')");
                    throw new SQLException("as a test wants it");
                }))
                .hasMessage("as a test wants it")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(given.get().isClosed()).isTrue();
        try (Connection other = source.getConnection()) {
            assertThat(Sql.strings(other, "SELECT COUNT(*) FROM orders")).containsExactly("0");
        } finally {
            TestServers.clean(source);
        }
    }

    /** As one of a pool: closing it does not close the connection, and a second ROLLBACK has no answer. */
    private static Connection unableToRollBack(Connection real) {
        int[] rollBacks = {0};
        return proxy(Connection.class, real, (method, arguments) -> {
            switch (method.getName()) {
                case "close":
                    return null;
                case "createStatement":
                    Statement statement = real.createStatement();
                    return proxy(Statement.class, statement, (called, given) -> {
                        if (called.getName().equals("execute")
                                && String.valueOf(given[0]).startsWith("ROLLBACK")
                                && ++rollBacks[0] > 1) {
                            throw new SQLException("no answer");
                        }
                        return called.invoke(statement, given);
                    });
                default:
                    return method.invoke(real, arguments);
            }
        });
    }

    private interface Answer {
        Object to(Method method, Object[] arguments) throws Exception;
    }

    private static <T> T proxy(Class<T> type, T real, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                OwnTransactionIT.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return answer.to(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
