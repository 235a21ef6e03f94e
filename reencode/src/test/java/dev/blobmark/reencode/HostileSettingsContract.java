package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.StatementProtocol;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.cutover.CopyChecks;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.Connections;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.reencode.verify.Verified;
import dev.blobmark.value.ValueFormat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Servers whose defaults for new sessions are the worst ones, each alone and all together, for an account to which
 * {@code init_connect} applies.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class HostileSettingsContract {

    private static final int ROWS = 200;

    /** Variables that the driver sets too, that its own login would not survive, or that only others have. */
    private static final String SET_BY_DRIVERS =
            "autocommit|character_set_.*|collation_.*|interactive_timeout|max_join_size|max_(execution|statement)_time";

    /** Values that a server may have for all new sessions, as they are written in SET GLOBAL. */
    private static final String INIT_CONNECT =
            "'SET SESSION sql_select_limit = 2, autocommit = 0, time_zone = \\'+03:00\\''";

    private static final Map<String, String> OF_BOTH = Map.ofEntries(
            Map.entry("autocommit", "0"),
            Map.entry("completion_type", "'CHAIN'"),
            Map.entry("transaction_isolation", "'SERIALIZABLE'"),
            Map.entry("sql_mode", "'ANSI,NO_BACKSLASH_ESCAPES,NO_ZERO_DATE,NO_ZERO_IN_DATE,STRICT_TRANS_TABLES'"),
            Map.entry("sql_select_limit", "1"),
            Map.entry("max_join_size", "1"),
            Map.entry("sql_safe_updates", "1"),
            Map.entry("sql_auto_is_null", "1"),
            Map.entry("sql_buffer_result", "1"),
            Map.entry("sql_quote_show_create", "0"),
            Map.entry("time_zone", "'-12:59'"),
            Map.entry("character_set_client", "latin1"),
            Map.entry("character_set_results", "latin1"),
            Map.entry("collation_connection", "latin1_german2_ci"),
            Map.entry("foreign_key_checks", "0"),
            Map.entry("unique_checks", "0"),
            Map.entry("group_concat_max_len", "4"),
            Map.entry("max_sort_length", "64"),
            Map.entry("lock_wait_timeout", "1"),
            Map.entry("innodb_lock_wait_timeout", "1"),
            Map.entry("innodb_table_locks", "0"),
            Map.entry("wait_timeout", "1"),
            Map.entry("interactive_timeout", "1"),
            Map.entry("net_read_timeout", "1"),
            Map.entry("net_write_timeout", "1"),
            Map.entry("default_storage_engine", "MyISAM"),
            Map.entry("explicit_defaults_for_timestamp", "0"),
            Map.entry("init_connect", INIT_CONNECT));

    private static final Map<String, String> OF_MYSQL = Map.of(
            "max_execution_time", "1",
            "information_schema_stats_expiry", "31536000",
            "show_gipk_in_create_table_and_information_schema", "0",
            "show_create_table_verbosity", "1",
            "sql_generate_invisible_primary_key", "1",
            "sql_require_primary_key", "1");

    private static final Map<String, String> OF_MARIADB = Map.of(
            "max_statement_time", "0.000001",
            "idle_transaction_timeout", "1",
            "idle_readonly_transaction_timeout", "1",
            "idle_write_transaction_timeout", "1",
            "old_mode", "'ZERO_DATE_TIME_CAST,NO_DUP_KEY_WARNINGS_WITH_IGNORE'",
            "alter_algorithm", "'INSTANT'",
            "system_versioning_alter_history", "'KEEP'",
            "system_versioning_asof", "'2001-01-01 00:00:00'",
            "sql_if_exists", "1",
            "init_connect", INIT_CONNECT.replace("autocommit", "skip_replication = 1, autocommit"));

    /** The account may not set them; statements that depend on them fail or are checked. */
    private static final List<String> NEEDS_PRIVILEGE =
            List.of("sql_generate_invisible_primary_key", "sql_require_primary_key");

    @TempDir
    Path cache;

    private OwnServer server;
    private Endpoint account;

    abstract OwnServer start(Map<String, String> variables) throws Exception;

    abstract boolean isMariaDb();

    private Map<String, String> worst() {
        Map<String, String> all = new LinkedHashMap<>(OF_BOTH);
        all.putAll(isMariaDb() ? OF_MARIADB : OF_MYSQL);
        return all;
    }

    private void begin(Map<String, String> variables) throws Exception {
        server = start(variables);
        String watches = isMariaDb() ? "REPLICA MONITOR, BINLOG MONITOR" : "REPLICATION CLIENT, XA_RECOVER_ADMIN";
        root(
                "CREATE DATABASE shop",
                "CREATE USER app@'%' IDENTIFIED BY 'x'",
                "GRANT ALL ON shop.* TO app@'%'",
                "GRANT PROCESS, REPLICATION SLAVE, " + watches + " ON *.* TO app@'%'");
        account = new Endpoint(server.endpoint().host(), server.endpoint().port(), "app", "x");
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    /** With the settings of a session as an administrator has them, whatever the server's defaults are. */
    private void root(String... statements) throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private Reencoding reencoding(String column, boolean isCopy) {
        ReencodeOptions options = isCopy ? CopyContract.COPYING : OnServer.FAST;
        return new Reencoding(
                directory -> new Running(account), cache, TableColumn.named(column), options, "test", OnServer.SILENT);
    }

    private record Running(Endpoint endpoint) implements Server {
        @Override
        public String kind() {
            return "address";
        }

        @Override
        public boolean isOwn() {
            return false;
        }

        @Override
        public void close() {
            // others use it
        }
    }

    /** What a driver gets that sets nothing. */
    private Optional<String> unprepared(String variable) throws SQLException {
        try (Connection connection = Driver.MARIADB.connect(account, "shop", Tls.OFF, StatementProtocol.TEXT);
                Statement statement = connection.createStatement();
                var row = statement.executeQuery("SELECT @@SESSION." + variable)) {
            row.next();
            return Optional.ofNullable(row.getString(1));
        }
    }

    private static byte[] value(int id) {
        return ("größe \\ ' " + "0123456789 und mehr ".repeat(20 + id)).getBytes(StandardCharsets.UTF_8);
    }

    private void fill(String table) throws SQLException {
        root("CREATE TABLE " + table
                + " (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, payload MEDIUMBLOB, note VARCHAR(20) CHARACTER SET"
                + " utf8mb4 DEFAULT 'ü\\\\''', day DATE NOT NULL DEFAULT '0000-00-00', at TIMESTAMP NOT NULL DEFAULT"
                + " '2026-03-29 01:30:00') ENGINE=InnoDB COMMENT 'it''s \\\\ \"here\"'");
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                var insert = connection.prepareStatement("INSERT INTO " + table + " (id, payload) VALUES (?, ?)")) {
            for (int i = 0; i < ROWS; i++) {
                insert.setInt(1, i);
                insert.setBytes(2, value(i));
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private void assertRows(String table, boolean isEncoded) throws SQLException {
        ValueFormat format = ValueFormat.builder().build();
        int rows = 0;
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                Statement statement = connection.createStatement();
                var row = statement.executeQuery("SELECT id, payload, note, day, at FROM " + table)) {
            while (row.next()) {
                byte[] stored = row.getBytes(2);
                assertThat(format.decode(stored)).isEqualTo(value(row.getInt(1)));
                assertThat(stored.length < value(row.getInt(1)).length).isEqualTo(isEncoded);
                assertThat(row.getString(3)).isEqualTo("ü\\'");
                rows++;
            }
        }
        assertThat(rows).isEqualTo(ROWS);
        assertThat(single("SELECT COUNT(*) FROM " + table + " WHERE day = '0000-00-00' AND at = '2026-03-29 01:30:00'"))
                .isEqualTo("" + ROWS);
        assertThat(single("SELECT table_comment FROM information_schema.tables WHERE CONCAT(table_schema, '.',"
                        + " table_name) = '" + table + "'"))
                .isEqualTo("it's \\ \"here\"");
    }

    private String single(String sql) throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                Statement statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private void changeAndTakeBack(boolean isCopy, List<String> without) throws Exception {
        fill("shop.orders");
        for (Map.Entry<String, String> each : worst().entrySet()) {
            if (!without.contains(each.getKey())) {
                root("SET GLOBAL " + each.getKey() + " = " + each.getValue());
            }
        }
        Target target = new Target("zstd:3", OnServer.ALL);
        assertThat(reencoding("shop.orders.payload", isCopy)
                        .preview(Before.RAW, target)
                        .problems())
                .isEmpty();
        assertThat(reencoding("shop.orders.payload", isCopy)
                        .change(Before.RAW, target)
                        .isComplete())
                .isTrue();
        assertRows("shop.orders", true);
        Verified verified = reencoding("shop.orders.payload", isCopy).verify();
        assertThat(verified.same()).isEqualTo(verified.ranges()).isPositive();
        assertThat(verified.rows()).isEqualTo(ROWS);
        assertThat(reencoding("shop.orders.payload", isCopy).revert().isComplete())
                .isTrue();
        assertRows("shop.orders", false);
        reencoding("shop.orders.payload", isCopy).finish();
        assertThat(single("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop'"))
                .isEqualTo("1");
    }

    @Test
    void rowsAreChangedWhereTheyAre() throws Exception {
        begin(Map.of());
        changeAndTakeBack(false, List.of());
    }

    @Test
    void aTableIsCopiedByTriggers() throws Exception {
        begin(Map.of());
        try (Connection connection = JdbcDriver.connectForLoading(account, "")) {
            assertThat(CopyChecks.isByLog(connection, Optional.empty())).isFalse();
        }
        changeAndTakeBack(true, List.of());
    }

    @Test
    void aTableIsCopiedByTheLog() throws Exception {
        begin(Map.of("log_bin", "copied", "server_id", "7", "binlog_format", "ROW"));
        try (Connection connection = JdbcDriver.connectForLoading(account, "")) {
            assertThat(CopyChecks.isByLog(connection, Optional.empty())).isTrue();
        }
        changeAndTakeBack(true, List.of());
    }

    /** Otherwise the changed values would be on this server only. */
    @Test
    void aSessionThatIsNotLoggedIsARefusal() throws Exception {
        begin(Map.of("log_bin", "unlogged", "server_id", "7", "binlog_format", "ROW"));
        fill("shop.orders");
        root(
                "GRANT " + (isMariaDb() ? "BINLOG ADMIN" : "SESSION_VARIABLES_ADMIN") + " ON *.* TO app@'%'",
                "SET GLOBAL init_connect = 'SET SESSION sql_log_bin = 0'");
        Target target = new Target("zstd:3", OnServer.ALL);
        for (boolean isCopy : List.of(false, true)) {
            assertThat(reencoding("shop.orders.payload", isCopy)
                            .preview(Before.RAW, target)
                            .problems())
                    .singleElement()
                    .asString()
                    .startsWith("the server sets sql_log_bin to 0 for this account");
            assertThatThrownBy(() -> reencoding("shop.orders.payload", isCopy).change(Before.RAW, target))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("sql_log_bin");
        }
        assertRows("shop.orders", false);
    }

    /** A server may limit what sessions set. */
    @Test
    void aVariableThatCannotBeSetIsARefusal() throws Exception {
        server = start(Map.of("maximum_group_concat_max_len", "2000"));
        account = server.endpoint();
        Target target = new Target("zstd:3", OnServer.ALL);
        assertThatThrownBy(() -> reencoding("shop.orders.payload", false).change(Before.RAW, target))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("group_concat_max_len is '2000', and '1048576' is needed");
    }

    /** Each default alone reaches a session that sets nothing, and none of Blobmark's. */
    @Test
    void noConnectionHasADefaultOfTheServer() throws Exception {
        begin(Map.of());
        Map<String, String> before = new LinkedHashMap<>();
        for (String variable : worst().keySet()) {
            String compared = variable.equals("init_connect") ? "time_zone" : variable;
            before.put(variable, ours(compared));
            root("SET GLOBAL " + variable + " = " + worst().get(variable));
            if (!compared.matches(SET_BY_DRIVERS)) {
                assertThat(unprepared(compared)).as(variable).isNotEqualTo(Optional.of(before.get(variable)));
            }
            if (!NEEDS_PRIVILEGE.contains(variable)) {
                assertThat(ours(compared)).as(variable).isEqualTo(before.get(variable));
            }
            root("SET GLOBAL " + variable + " = DEFAULT");
        }
    }

    /** The value that all connections of Blobmark have. */
    private String ours(String variable) throws SQLException {
        if (List.of("interactive_timeout", "max_join_size").contains(variable)) { // not used by sessions of programs
            return "any";
        }
        String select = "SELECT @@SESSION." + variable;
        try (Connection loading = JdbcDriver.connectForLoading(account, "");
                Connection changing = JdbcDriver.connectForChanging(account);
                Connection watching = JdbcDriver.connectToWatch(account);
                Connection library = new Connections(account).getConnection()) {
            List<String> values = List.of(
                    read(loading, select), read(changing, select), read(watching, select), read(library, select));
            assertThat(values).as(variable).containsOnly(values.get(0));
            return values.get(0);
        }
    }

    private static String read(Connection connection, String select) throws SQLException {
        try (Statement statement = connection.createStatement();
                var row = statement.executeQuery(select)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }
}
