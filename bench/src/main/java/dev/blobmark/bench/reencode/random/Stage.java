package dev.blobmark.bench.reencode.random;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Session;
import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        asking = Driver.connectForChanging(server.endpoint());
        Sql.execute(asking, "CREATE USER '" + CHANGER + "'@'%' IDENTIFIED BY '" + PASSWORD + "'");
        Sql.execute(asking, "GRANT ALL ON *.* TO '" + CHANGER + "'@'%' WITH GRANT OPTION");
        defaults = Sql.pairs(asking, "SHOW GLOBAL VARIABLES");
    }

    /** @param mysql base directory, for a seat of MySQL */
    public static Stage open(Seat seat, Optional<Path> mysql, Path cache) throws SQLException {
        String name = seat.isMySql ? "mysqld:" + mysql.orElseThrow() : "embedded";
        OwnServer server = (OwnServer) Servers.parse(name)
                .open(cache, ServerOptions.of(POOL_BYTES).withTls(false).with(seat.variables()));
        try {
            return new Stage(seat, cache, server);
        } catch (SQLException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** A connection whose settings are those of the server when it was started. */
    public Connection connect() throws SQLException {
        Connection connection = Driver.connectForChanging(server.endpoint());
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
        Connection connection = Driver.connectForChanging(server.endpoint());
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

    /** The server as the account of the change sees it. It goes on when a change has ended. */
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

    /** Executes a statement with the settings of the server's start. What it sets globally is undone later. */
    public synchronized void execute(String sql) throws SQLException {
        String set = "SET GLOBAL ";
        if (sql.startsWith(set)) {
            touched.add(sql.substring(set.length(), sql.indexOf('=')).strip());
        }
        Sql.execute(asking, sql);
    }

    /** Gives global variables their values of the start. */
    synchronized void reset() throws SQLException {
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
