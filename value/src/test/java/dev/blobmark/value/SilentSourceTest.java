package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A source that gives no connection, such as of a server that is suspended. */
class SilentSourceTest {

    private static class Silent implements DataSource {

        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch interrupted = new CountDownLatch(1);

        @Override
        public Connection getConnection() throws SQLException {
            asked.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
            throw new SQLException("nothing more is to be done for a caller that has left");
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }

        @Override
        public PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("not a wrapper");
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }

    /** Whose connections need a class that is initialized; so do the library's, on another thread. */
    private static final class InInitializer {

        static final AtomicReference<Throwable> THROWN = new AtomicReference<>();

        private static final CountDownLatch NEEDED = new CountDownLatch(0);

        static {
            try {
                OwnTransaction.reading(
                        new Silent() {
                            @Override
                            public Connection getConnection() throws SQLException {
                                if (NEEDED.getCount() == 0) { // waits for the initializer, which waits for this
                                    throw new SQLException("nothing more is to be done for a caller that has left");
                                }
                                return super.getConnection();
                            }
                        },
                        connection -> connection,
                        100);
            } catch (SQLException e) {
                THROWN.set(e);
            }
        }
    }

    @Test
    void anInitializerThatTheSourceWaitsForDoesNotWaitForEver() {
        assertThat(InInitializer.THROWN.get())
                .hasMessageContaining("gave no connection within 100 ms")
                .hasMessageContaining("initializer");
    }

    /** As Spring's LazyConnectionDataSourceProxy gives it: it is connected when it is used. */
    @Test
    void aConnectionThatIsMadeWhenItIsUsedIsNotWaitedForEither() throws InterruptedException {
        CountDownLatch isInterrupted = new CountDownLatch(1);
        Connection lazy = (Connection) Proxy.newProxyInstance(
                SilentSourceTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (!method.getName().equals("close")) {
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            isInterrupted.countDown();
                            throw new SQLException("nothing more is to be done for a caller that has left");
                        }
                    }
                    return null;
                });
        Silent source = new Silent() {
            @Override
            public Connection getConnection() {
                return lazy;
            }
        };
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread caller = new Thread(() -> {
            try {
                OwnTransaction.reading(source, connection -> connection, 100);
            } catch (SQLException e) {
                thrown.set(e);
            }
        });
        caller.setDaemon(true);
        caller.start();
        caller.join(60_000);
        assertThat(thrown.get()).hasMessageContaining("gave no connection within 100 ms");
        isInterrupted.await();
    }

    /** An application that ends interrupts its threads. */
    @Test
    void aCallerThatIsInterruptedLeaves() throws InterruptedException {
        Silent source = new Silent();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicReference<Boolean> isInterrupted = new AtomicReference<>();
        Thread caller = new Thread(() -> {
            try {
                ReaderRegistry.in(source, "shop").readers();
            } catch (SQLException e) {
                thrown.set(e);
            }
            isInterrupted.set(Thread.currentThread().isInterrupted());
        });
        caller.start();
        source.asked.await();
        caller.interrupt();
        caller.join();
        assertThat(thrown.get()).hasMessageContaining("was interrupted while it waited for a connection");
        assertThat(isInterrupted).hasValue(true);
        source.interrupted.await(); // nor does the library's thread wait
    }
}
