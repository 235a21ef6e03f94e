package dev.blobmark.bench.reencode.random;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Session;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.Reencoding;
import dev.blobmark.reencode.terms.Pace;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.terms.ReencodeOptions;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A server that is started once and used for many trials, one after the other. */
public final class Stage implements AutoCloseable {

    private static final String CHANGER = "changer";
    private static final String PASSWORD = "of-the-bench";
    private static final long POOL_BYTES = 64 << 20;

    public final Seat seat;
    public final Path cache;
    private final OwnServer server;
    private final Connection asking;
    private final Map<String, String> defaults;
    private final Set<String> touched = new LinkedHashSet<>();

    private Stage(Seat seat, Path cache, OwnServer server) throws SQLException {
        this.seat = seat;
        this.cache = cache;
        this.server = server;
        asking = JdbcDriver.connectForChanging(server.endpoint());
        Sql.execute(asking, "CREATE USER '" + CHANGER + "'@'%' IDENTIFIED BY '" + PASSWORD + "'");
        Sql.execute(asking, "GRANT ALL ON *.* TO '" + CHANGER + "'@'%' WITH GRANT OPTION");
        defaults = Sql.pairs(asking, "SHOW GLOBAL VARIABLES");
    }

    /** @param mysql base directory, for a seat of MySQL */
    public static Stage open(Seat seat, Optional<Path> mysql, Path cache) throws SQLException {
        OwnServer server = start(seat, mysql, cache, Map.of());
        try {
            return new Stage(seat, cache, server);
        } catch (SQLException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /**
     * Starts another server of a seat.
     *
     * @param mysql base directory, for a seat of MySQL
     * @param variables in addition to those of the seat, or in place of them
     */
    public static OwnServer start(Seat seat, Optional<Path> mysql, Path cache, Map<String, String> variables) {
        String name = seat.isMySql ? "mysqld:" + mysql.orElseThrow() : "embedded";
        Map<String, String> all = new HashMap<>(seat.variables());
        all.putAll(variables);
        return (OwnServer) Servers.parse(name)
                .open(cache, ServerOptions.of(POOL_BYTES).withTls(false).with(all));
    }

    public int port() {
        return server.endpoint().port();
    }

    /** A connection whose settings are those of the server when it was started. */
    public Connection connect() throws SQLException {
        Connection connection = JdbcDriver.connectForChanging(server.endpoint());
        Sql.execute(
                connection,
                "SET SESSION autocommit = 1, sql_mode = '', time_zone = '+00:00', sql_quote_show_create = 1,"
                        + " completion_type = 0, sql_safe_updates = 0, sql_big_selects = 1, lock_wait_timeout = 60, "
                        + (seat.isMySql ? "max_execution_time" : "max_statement_time") + " = 0");
        Sql.execute(connection, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        if (seat.isMySql) {
            Sql.execute(connection, "SET SESSION information_schema_stats_expiry = 0");
        }
        return connection;
    }

    /** A connection with the settings that the server gives now. */
    public Connection connectAsUser() throws SQLException {
        Connection connection = JdbcDriver.connectForChanging(server.endpoint());
        Sql.execute(
                connection,
                Stream.of("autocommit", "sql_mode", "time_zone", "group_concat_max_len", isolation())
                        .map(name -> name + " = @@GLOBAL." + name)
                        .collect(Collectors.joining(", ", "SET SESSION ", "")));
        return connection;
    }

    private String isolation() {
        return seat.isMySql ? "transaction_isolation" : "tx_isolation";
    }

    /**
     * Closes a connection, and waits until the server knows it: then it changes nothing any more, and others may end
     * what it had prepared.
     */
    public void closeAndWait(Connection connection) throws SQLException, InterruptedException {
        long id = connection.unwrap(org.mariadb.jdbc.Connection.class).getThreadId();
        connection.close();
        while (isThere(id)) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private synchronized boolean isThere(long id) throws SQLException {
        return Session.list(asking).stream().anyMatch(session -> session.id() == id);
    }

    /** The server as the account of the change sees it. It continues when a change has ended. */
    public Servers.Source source() {
        Endpoint own = server.endpoint();
        Endpoint endpoint =
                new Endpoint(own.host(), own.port(), CHANGER, PASSWORD, own.sslMode(), own.tls(), own.authentication());
        return (of, options) -> new Server() {
            @Override
            public String kind() {
                return "address";
            }

            @Override
            public Endpoint endpoint() {
                return endpoint;
            }

            @Override
            public boolean isOwn() {
                return false;
            }

            @Override
            public void close() {
                // others use it
            }
        };
    }

    /**
     * A change of a column at full speed or less. It is not concerned with replicas.
     *
     * @param speed in percent
     * @param transactionMillis how long a transaction should take
     */
    public Reencoding reencoding(
            TableColumn column,
            boolean isCopy,
            int speed,
            int transactionMillis,
            int writers,
            ReencodeListener listener) {
        return new Reencoding(
                source(),
                cache,
                column,
                new ReencodeOptions(
                        new Pace(
                                ToleratedLoad.DEFAULT,
                                speed,
                                OptionalLong.empty(),
                                List.of(),
                                Pace.USUAL_LAG,
                                true,
                                Optional.empty(),
                                Duration.ofMillis(transactionMillis),
                                Optional.empty(),
                                Optional.empty()),
                        isCopy,
                        true,
                        writers,
                        false),
                "bench",
                listener);
    }

    /** Gives the account of the change a privilege to leave the log, or takes it; replicas do not know the account. */
    public synchronized void allowToLeaveLog(boolean isAllowed) throws SQLException {
        String privileges = seat.isMySql ? "SESSION_VARIABLES_ADMIN, SYSTEM_VARIABLES_ADMIN, SUPER" : "BINLOG ADMIN";
        Sql.execute(asking, "SET SESSION sql_log_bin = 0");
        Sql.execute(
                asking,
                isAllowed
                        ? "GRANT " + privileges + " ON *.* TO '" + CHANGER + "'@'%'"
                        : "REVOKE " + privileges + " ON *.* FROM '" + CHANGER + "'@'%'");
        Sql.execute(asking, "SET SESSION sql_log_bin = 1");
    }

    /** Whether a connection of the change waits until others have left a table. */
    public synchronized boolean isWaitingForTable() throws SQLException {
        return sessions().stream()
                .anyMatch(session -> session.state().toLowerCase(Locale.ROOT).contains("metadata lock"));
    }

    /** Executes a statement with the settings of the server's start. What it sets globally is undone later. */
    public synchronized void execute(String sql) throws SQLException {
        String set = "SET GLOBAL ";
        if (sql.startsWith(set)) {
            touched.add(sql.substring(set.length(), sql.indexOf('=')).strip());
        }
        Sql.execute(asking, sql);
    }

    /** Gives global variables their values of the start. */
    public synchronized void reset() throws SQLException {
        for (String name : touched) {
            String value = defaults.get(name);
            boolean isNumber = value.matches("[\\d.]+");
            Sql.execute(asking, "SET GLOBAL " + name + " = " + (isNumber ? value : "'" + value + "'"));
        }
        touched.clear();
    }

    /** Kills a connection of the change. */
    public synchronized boolean kill(int number) throws SQLException {
        List<Session> sessions = sessions();
        return !sessions.isEmpty() && isKilled(sessions.get(number % sessions.size()));
    }

    /** Kills a connection of the application. */
    public synchronized boolean killUser(int number) throws SQLException {
        long own = Long.parseLong(Sql.strings(asking, "SELECT CONNECTION_ID()").get(0));
        List<Session> sessions = Session.list(asking).stream()
                .filter(session ->
                        session.user().equals(server.endpoint().user()) && session.id() != own && !session.readsLog())
                .toList();
        return !sessions.isEmpty() && isKilled(sessions.get(number % sessions.size()));
    }

    private boolean isKilled(Session session) {
        try {
            Sql.execute(asking, "KILL CONNECTION " + session.id());
            return true;
        } catch (SQLException e) {
            return false; // it has just ended
        }
    }

    synchronized List<Session> sessions() throws SQLException {
        return Session.list(asking).stream()
                .filter(session -> session.user().equals(CHANGER))
                .toList();
    }

    @Override
    public void close() {
        try {
            asking.close();
        } catch (SQLException e) {
            // the server ends in any case
        }
        server.close();
    }
}
