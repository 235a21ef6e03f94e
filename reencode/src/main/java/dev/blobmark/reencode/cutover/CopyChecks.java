package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.binlog.TableName;
import dev.blobmark.reencode.change.LogSettings;
import dev.blobmark.reencode.change.TriggerFeed;
import dev.blobmark.reencode.checkpoint.Differences;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.table.BytesColumn;
import dev.blobmark.reencode.table.Definition;
import dev.blobmark.reencode.table.Grants;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.table.TableIdentity;
import dev.blobmark.reencode.table.TableText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Whether a table can be copied, and what a copy changes. Nothing here changes anything. */
public final class CopyChecks {

    private CopyChecks() {}

    /** InnoDB's number shows whether a table is still the same. */
    public static Optional<String> unidentified(Connection connection, TableColumn column) throws SQLException {
        boolean isSeen = !Grants.read(connection).hasEverywhere("PROCESS") // which is a problem of its own
                || TableIdentity.read(connection, column.schema(), column.table())
                        .isPresent();
        return isSeen
                ? Optional.empty()
                : Optional.of(
                        "InnoDB's number of the table cannot be seen: another table has a name that differs only in letters"
                                + " outside of ASCII; rename one, or use --mode in-place");
    }

    public static Optional<String> columnLikeThatOfTriggers(Connection connection, TableColumn column)
            throws SQLException {
        boolean isThere = TableText.read(connection, column).columns().keySet().stream()
                .anyMatch(TriggerFeed.NUMBER::equalsIgnoreCase);
        return isThere
                ? Optional.of(
                        "it has a column " + TriggerFeed.NUMBER
                                + ", and the table in which triggers write the keys of changed rows has one of that name: rename it")
                : Optional.empty();
    }

    /**
     * @param notByLog why changes cannot be read from the binary log, so that triggers are needed; empty if they can
     */
    public static Optional<String> triggersDenied(Connection connection, Optional<String> notByLog)
            throws SQLException {
        return notByLog.isPresent() && LogSettings.hasLog(connection) && !mayMakeTriggers(connection)
                ? Optional.of("changes of others cannot be read from the binary log, since " + notByLog.get()
                        + "; and triggers cannot be made without SUPER while there is one (error 1419): SET GLOBAL"
                        + " log_bin_trust_function_creators = ON, or remove the cause")
                : Optional.empty();
    }

    public static Optional<String> cluster(Connection connection) throws SQLException {
        return cluster(Sql.pairs(
                connection,
                "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_provider', 'group_replication_group_name',"
                        + " 'group_replication_single_primary_mode')"));
    }

    /**
     * In a cluster with several servers that write, a lock of one does not keep the others out. A node with
     * {@code wsrep_on=OFF} sends no changes, and receives those of the others all the same.
     */
    public static Optional<String> cluster(Map<String, String> variables) {
        String provider = variables.getOrDefault("wsrep_provider", "");
        boolean isGalera = !provider.isEmpty() && !provider.equalsIgnoreCase("none");
        boolean hasPrimaries =
                !variables.getOrDefault("group_replication_group_name", "").isEmpty()
                        && !isOn(variables.get("group_replication_single_primary_mode"));
        return isGalera || hasPrimaries
                ? Optional.of((isGalera
                                ? "the server is a node of a Galera cluster (wsrep_provider)"
                                : "the server's group has several primaries")
                        + ", in which LOCK TABLES does not keep the others from writing: use --mode in-place")
                : Optional.empty();
    }

    /** Error 1419 otherwise (ER_BINLOG_CREATE_ROUTINE_NEED_SUPER). */
    private static boolean mayMakeTriggers(Connection connection) throws SQLException {
        return isOn(JdbcDriver.variable(connection, "log_bin_trust_function_creators"))
                || Grants.read(connection).hasEverywhere("SUPER");
    }

    /**
     * Foreign keys and triggers, which would stay with the former table.
     *
     * @param isByLog whether triggers of a copy's names are somebody else's
     */
    public static List<String> dependents(Connection connection, TableColumn column, boolean isByLog)
            throws SQLException {
        Set<String> problems = new LinkedHashSet<>(referring(connection, column));
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT constraint_schema, table_name, constraint_name FROM information_schema.referential_constraints WHERE"
                        + " constraint_schema = ? AND table_name = ? OR unique_constraint_schema = ? AND"
                        // MariaDB takes orders and Orders for equal here
                        + " CAST(referenced_table_name AS BINARY) = CAST(? AS BINARY)")) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            select.setString(3, column.schema());
            select.setString(4, column.table());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    problems.add(stays("the foreign key " + row.getString(3) + " of " + row.getString(2)));
                }
            }
        }
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT trigger_name FROM information_schema.triggers WHERE event_object_schema = ? AND event_object_table ="
                        + " ?")) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    if (isByLog || !ShadowNames.triggers(column.table()).contains(row.getString(1))) {
                        problems.add(stays("the trigger " + row.getString(1)));
                    }
                }
            }
        }
        return List.copyOf(problems);
    }

    private static String stays(String what) {
        return what + " would stay with the former table: drop it before, and make it again after";
    }

    /** Foreign keys of other tables, which may be of tables that the account cannot see: InnoDB shows all of them. */
    private static List<String> referring(Connection connection, TableColumn column) throws SQLException {
        String view = Definition.isMariaDb(connection) ? "innodb_sys_foreign" : "innodb_foreign";
        boolean isExact =
                JdbcDriver.variable(connection, "lower_case_table_names").equals("0");
        Pattern name = Pattern.compile(
                Pattern.quote(column.schema() + "/" + column.table()) // MySQL
                        + "|" + TableIdentity.fileName(column.schema()) + "/"
                        + TableIdentity.fileName(column.table()), // MariaDB
                isExact ? 0 : Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
        List<String> found = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT id, for_name, ref_name FROM information_schema." + view)) {
            while (row.next()) {
                if (name.matcher(row.getString(3)).matches()) {
                    found.add(stays("the foreign key " + last(row.getString(1)) + " of " + last(row.getString(2))));
                }
            }
        } catch (SQLException e) {
            if (e.getErrorCode() != TableIdentity.DENIED) {
                throw e;
            }
            return List.of("foreign keys of tables that the account may not see cannot be found: GRANT PROCESS ON *.*");
        }
        return found;
    }

    /** The name behind that of the schema. */
    private static String last(String name) {
        return name.substring(name.indexOf('/') + 1);
    }

    /** Privileges that a copy needs in addition, with the remedies. */
    public static List<String> missing(Connection connection, TableColumn column, boolean isByLog) throws SQLException {
        Grants grants = Grants.read(connection);
        List<TableColumn> tables = Stream.of(
                        column.table(), ShadowNames.fresh(column.table()), ShadowNames.former(column.table()))
                .map(table -> TableColumn.of(column.schema(), table, column.column()))
                .toList();
        List<String> missing = Stream.of(
                        "SELECT", "UPDATE", "ALTER", "CREATE", "DROP", "INSERT", "DELETE", "LOCK TABLES", "TRIGGER")
                .filter(privilege -> tables.stream().anyMatch(table -> !grants.has(privilege, table)))
                .toList();
        TableColumn differences = TableColumn.of(column.schema(), Differences.NAME, column.column());
        if (missing.isEmpty()
                && Stream.of("CREATE", "DROP", "SELECT", "INSERT", "UPDATE", "DELETE")
                        .anyMatch(privilege -> !grants.has(privilege, differences))) {
            missing = List.of("SELECT", "CREATE", "INSERT", "UPDATE", "DELETE", "DROP");
        }
        List<String> problems = new ArrayList<>();
        if (!missing.isEmpty()) {
            problems.add("the account lacks a privilege for the tables of a copy: GRANT " + String.join(", ", missing)
                    + " ON " + Names.quoted(column.schema()) + ".*");
        }
        if (grants.isRestricted()) {
            problems.add(
                    "the account's privileges are restricted by DENY or REVOKE, and what is left is not known here:"
                            + " use an account without restrictions");
        }
        if (!grants.hasEverywhere("PROCESS")) {
            problems.add(
                    "the account may not see by which numbers InnoDB knows the tables, which shows whether they are"
                            + " still the same: GRANT PROCESS ON *.*");
        }
        if (isByLog && !grants.hasEverywhere("REPLICATION SLAVE")) {
            problems.add("the account may not read the binary log: GRANT REPLICATION SLAVE ON *.*");
        }
        return problems;
    }

    /** What a copy changes in addition to the values. */
    public static List<String> remarks(TableFacts facts, boolean isByLog) {
        List<String> remarks = new ArrayList<>();
        BytesColumn.bytesFor(facts.dataType())
                .ifPresent(type -> remarks.add("the column becomes " + type + ": "
                        + (facts.dataType().equals("json")
                                ? "documents are no longer checked, and JSON functions do not read them"
                                : "its collation and character set are lost, and LIKE and functions on text do not read it")
                        + "; the application must write and read bytes"));
        remarks.add(
                isByLog
                        ? "what others change meanwhile is read from the binary log"
                        : "what others change meanwhile is written to a table by three triggers, since there is no binary log"
                                + " of rows");
        return remarks;
    }

    /**
     * Whether others' changes are read from the binary log; otherwise triggers write them into a table. A copy
     * continues as it has begun, whatever the log became.
     */
    public static boolean isByLog(Connection connection, Optional<State.Copy> begun) throws SQLException {
        Optional<State.Copy> made = begun.filter(copy -> copy.tables().isPresent());
        return made.isPresent()
                ? made.get().log().isPresent()
                : LogSettings.problem(connection).isEmpty();
    }

    /** The name of a table as statements and the log have it. */
    public static TableName name(Connection connection, TableColumn column) throws SQLException {
        boolean isExact =
                JdbcDriver.variable(connection, "lower_case_table_names").equals("0");
        return new TableName(column.schema(), column.table(), isExact);
    }

    static boolean isOn(String value) {
        return value != null && value.toUpperCase(Locale.ROOT).matches("ON|1");
    }
}
