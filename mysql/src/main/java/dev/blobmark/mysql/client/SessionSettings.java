package dev.blobmark.mysql.client;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The variables of a session on which statements of Blobmark rely. A server gives a new session its own defaults, and
 * {@code init_connect} may change them; a SELECT may then end after a row, a statement after a millisecond, an UPDATE
 * may be refused or never committed. So each connection that works on data of a user sets them first, and reads them
 * back.
 *
 * <p>Not set are those that decide what is logged (such as {@code sql_log_bin}), and those that decide the values of
 * generated columns besides the SQL mode and the time zone (such as {@code div_precision_increment}): the server's
 * defaults are those of the application.
 *
 * <p>Names and values are those of MySQL 9.7.4 and MariaDB 11.4.5.
 */
public final class SessionSettings {

    /**
     * Values that do not fit are errors, 0 is a number like others, and dates that a table has already are accepted:
     * {@code NO_ZERO_DATE} is left out, and {@code ALLOW_INVALID_DATES} is in. Quotes and backslashes in statements
     * have their usual meaning.
     */
    static final String SQL_MODE = "STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES,NO_ENGINE_SUBSTITUTION";

    /** ER_UNKNOWN_SYSTEM_VARIABLE. */
    private static final int UNKNOWN = 1193;

    /** Also ER_SPECIFIC_ACCESS_DENIED_ERROR, and ER_WRONG_VALUE_FOR_VAR of a server that limits a variable. */
    private static final Set<Integer> REFUSED = Set.of(UNKNOWN, 1227, 1231);

    private static final String ALL_ROWS = "18446744073709551615";

    /** Whether a session may be used if the variable does not have the value. */
    private enum Necessity {
        /** No statement is safe without it. Each supported version has the variable. */
        ALWAYS,
        /** The same, but older versions lack the variable, and behave as its value says. */
        IF_THERE,
        /** Only statements that make tables depend on it, and these fail or are checked. It may need a privilege. */
        IF_ALLOWED
    }

    /**
     * A variable.
     *
     * @param names the name, and the one that other versions have for the same
     * @param literal the value as it is written in SET
     * @param value the value as it is read
     */
    private record SessionVariable(List<String> names, String literal, String value, Necessity need) {

        SessionVariable(String name, String literal, String value, Necessity need) {
            this(List.of(name), literal, value, need);
        }

        static SessionVariable number(String name, long value) {
            return new SessionVariable(name, "" + value, "" + value, Necessity.ALWAYS);
        }

        static SessionVariable text(String name, String value) {
            return new SessionVariable(name, "'" + value + "'", value, Necessity.ALWAYS);
        }

        SessionVariable need(Necessity other) {
            return new SessionVariable(names, literal, value, other);
        }

        SessionVariable alsoNamed(String other) {
            return new SessionVariable(List.of(names.get(0), other), literal, value, need);
        }

        boolean isValue(String read) {
            return normal(read).equals(normal(value));
        }

        private static Object normal(String read) {
            if (read == null) {
                return "";
            }
            if (read.matches("\\d+(\\.\\d+)?")) {
                return new BigDecimal(read).stripTrailingZeros();
            }
            return new TreeSet<>(Set.of(read.toUpperCase(Locale.ROOT).split(",")));
        }
    }

    /** Those whose worst values would end the statements that set the others come first. */
    private static final List<SessionVariable> OF_BOTH = List.of(
            SessionVariable.number("autocommit", 1),
            SessionVariable.text("completion_type", "NO_CHAIN"),
            SessionVariable.text("transaction_isolation", "REPEATABLE-READ").alsoNamed("tx_isolation"),
            SessionVariable.number("transaction_read_only", 0).alsoNamed("tx_read_only"),
            SessionVariable.text("sql_mode", SQL_MODE),
            new SessionVariable("sql_select_limit", ALL_ROWS, ALL_ROWS, Necessity.ALWAYS),
            SessionVariable.number("sql_safe_updates", 0),
            SessionVariable.number("sql_auto_is_null", 0),
            SessionVariable.number("sql_big_selects", 1),
            SessionVariable.number("sql_buffer_result", 0),
            SessionVariable.number("sql_quote_show_create", 1),
            SessionVariable.text("time_zone", "+00:00"),
            SessionVariable.text("character_set_client", "utf8mb4"),
            SessionVariable.text("character_set_results", "utf8mb4"),
            SessionVariable.number("foreign_key_checks", 1),
            SessionVariable.number("unique_checks", 1),
            SessionVariable.number("group_concat_max_len", 1 << 20),
            SessionVariable.number("max_sort_length", 8_192), // more than the longest key of InnoDB, 3072 bytes
            SessionVariable.number("lock_wait_timeout", 60),
            SessionVariable.number("innodb_lock_wait_timeout", 50),
            SessionVariable.number("innodb_table_locks", 1),
            SessionVariable.number("wait_timeout", 28_800),
            SessionVariable.number("net_read_timeout", 600),
            SessionVariable.number("net_write_timeout", 600),
            SessionVariable.text("default_storage_engine", "InnoDB"),
            SessionVariable.number("explicit_defaults_for_timestamp", 1).need(Necessity.IF_ALLOWED));

    private static final List<SessionVariable> OF_MYSQL = List.of(
            SessionVariable.text("collation_connection", "utf8mb4_0900_ai_ci"), // views of ndbinfo depend on it
            SessionVariable.number("max_execution_time", 0), // milliseconds
            SessionVariable.number("information_schema_stats_expiry", 0), // otherwise figures may be a day old
            SessionVariable.text("use_secondary_engine", "OFF").need(Necessity.IF_THERE), // which lags behind InnoDB
            SessionVariable.number("show_gipk_in_create_table_and_information_schema", 1)
                    .need(Necessity.IF_THERE),
            SessionVariable.number("show_create_table_verbosity", 0).need(Necessity.IF_THERE),
            SessionVariable.number("sql_generate_invisible_primary_key", 0).need(Necessity.IF_ALLOWED),
            SessionVariable.number("sql_require_primary_key", 0).need(Necessity.IF_ALLOWED));

    private static final List<SessionVariable> OF_MARIADB = List.of(
            SessionVariable.text("collation_connection", "utf8mb4_general_ci"),
            SessionVariable.number("max_statement_time", 0), // seconds
            SessionVariable.number("idle_transaction_timeout", 0),
            SessionVariable.number("idle_readonly_transaction_timeout", 0),
            SessionVariable.number("idle_write_transaction_timeout", 0),
            SessionVariable.number("check_constraint_checks", 1),
            SessionVariable.text("query_cache_type", "OFF").need(Necessity.IF_THERE),
            SessionVariable.text("old_mode", "UTF8_IS_UTF8MB3"),
            SessionVariable.text("alter_algorithm", "DEFAULT").need(Necessity.IF_THERE),
            SessionVariable.text("system_versioning_alter_history", "ERROR"),
            new SessionVariable("system_versioning_asof", "DEFAULT", "DEFAULT", Necessity.ALWAYS),
            SessionVariable.number("system_versioning_insert_history", 0).need(Necessity.IF_THERE),
            SessionVariable.number("sql_if_exists", 0).need(Necessity.IF_THERE),
            // a reader of the log with it is not sent what others mark with it; a replica may not be sent what we write
            SessionVariable.number("skip_replication", 0).need(Necessity.IF_THERE),
            new SessionVariable("enforce_storage_engine", "NULL", "", Necessity.IF_ALLOWED));

    /** Connections that have all of them. */
    private static final Map<Connection, Boolean> APPLIED = Collections.synchronizedMap(new WeakHashMap<>());

    private SessionSettings() {}

    /** @throws SQLException if a connection was opened without the settings, so that keys may be read wrongly */
    public static void require(Connection connection) throws SQLException {
        if (!APPLIED.containsKey(connection)) {
            throw new SQLException("this connection has the server's defaults: time_zone "
                    + JdbcDriver.variable(connection, "time_zone") + ", sql_mode "
                    + JdbcDriver.variable(connection, "sql_mode"));
        }
    }

    private static List<SessionVariable> settings(boolean isMariaDb) {
        return Stream.concat((isMariaDb ? OF_MARIADB : OF_MYSQL).stream(), OF_BOTH.stream())
                .toList();
    }

    /** The names of all variables that are set on a product. */
    static List<String> names(boolean isMariaDb) {
        return settings(isMariaDb).stream()
                .map(setting -> setting.names().get(0))
                .toList();
    }

    /**
     * Those on which reading depends, and which both products have, as the drivers take them in their option
     * {@code sessionVariables}. They are not read back.
     */
    static String forReading() {
        Set<String> read = Set.of("sql_mode", "sql_select_limit", "time_zone", "sql_big_selects", "sql_auto_is_null");
        return OF_BOTH.stream()
                .filter(setting -> read.contains(setting.names().get(0)))
                .map(setting -> setting.names().get(0) + "=" + setting.literal())
                .collect(Collectors.joining(","));
    }

    /**
     * Sets all, and reads them back.
     *
     * @throws UnavailableException if a variable has another value than the one that is needed; names all of them
     */
    static void apply(Connection connection) throws SQLException {
        // from the server's greeting, without a statement that a limit of the server could end
        boolean isMariaDb = connection.getMetaData().getDatabaseProductVersion().contains("MariaDB");
        List<SessionVariable> known = new ArrayList<>();
        for (boolean isOptional : List.of(false, true)) { // apart, since these are denied to most accounts
            List<SessionVariable> some = settings(isMariaDb).stream()
                    .filter(setting -> (setting.need() == Necessity.IF_ALLOWED) == isOptional)
                    .toList();
            try {
                set(
                        connection,
                        some.stream()
                                .map(setting -> setting.names().get(0) + " = " + setting.literal())
                                .collect(Collectors.joining(", ")));
                known.addAll(some);
            } catch (SQLException e) {
                if (!REFUSED.contains(e.getErrorCode())) {
                    throw e;
                }
                for (SessionVariable setting : some) {
                    applied(connection, setting).ifPresent(known::add);
                }
            }
        }
        requireEffective(connection, known);
        APPLIED.put(connection, true);
    }

    private static void set(Connection connection, String assignments) throws SQLException {
        Sql.execute(connection, "SET SESSION " + assignments);
    }

    /** The variable by the name that the server has for it; empty if it has none. One that is refused is read later. */
    private static Optional<SessionVariable> applied(Connection connection, SessionVariable setting)
            throws SQLException {
        for (String name : setting.names()) {
            SessionVariable named = new SessionVariable(name, setting.literal(), setting.value(), setting.need());
            try {
                set(connection, name + " = " + setting.literal());
                return Optional.of(named);
            } catch (SQLException e) {
                if (!REFUSED.contains(e.getErrorCode())) {
                    throw e;
                }
                if (e.getErrorCode() != UNKNOWN) {
                    return Optional.of(named);
                }
            }
        }
        if (setting.need() == Necessity.ALWAYS) {
            throw new UnavailableException("the server has no variable " + String.join(" or ", setting.names())
                    + ", on which Blobmark relies: use a supported version of MySQL or MariaDB, without a proxy that"
                    + " names another version");
        }
        return Optional.empty();
    }

    private static void requireEffective(Connection connection, List<SessionVariable> settings) throws SQLException {
        String sql = settings.stream()
                .map(setting -> "@@SESSION." + setting.names().get(0))
                .collect(Collectors.joining(", ", "SELECT ", ""));
        List<String> others = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            for (int i = 0; i < settings.size(); i++) {
                SessionVariable setting = settings.get(i);
                String read = row.getString(i + 1);
                if (setting.need() != Necessity.IF_ALLOWED && !setting.isValue(read)) {
                    others.add(setting.names().get(0) + " is '" + read + "', and '" + setting.value() + "' is needed");
                }
            }
        }
        if (!others.isEmpty()) {
            throw new UnavailableException("variables of the session could not be set: " + String.join("; ", others)
                    + ". Grant the account the privilege to set them (MySQL: SESSION_VARIABLES_ADMIN), or change the"
                    + " server's default");
        }
    }
}
