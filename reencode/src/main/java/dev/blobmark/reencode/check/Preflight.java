package dev.blobmark.reencode.check;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.row.RowImage;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.Connections;
import dev.blobmark.reencode.table.Grants;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.reencode.throttle.ReplicaLag;
import dev.blobmark.value.ReaderRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What {@link Check} looks at on the server; privileges and remarks. */
public final class Preflight {

    private static final String READERS = "blobmark_readers";
    private static final List<String> ON_THE_TABLE = List.of("SELECT", "UPDATE");
    private static final List<String> ON_THE_SCHEMA = List.of("SELECT", "CREATE", "INSERT", "UPDATE", "DELETE", "DROP");

    private Preflight() {}

    /** Privileges without which not even the state of a change can be read or written, with the remedies. */
    public static List<String> missing(Connection connection, TableColumn column) throws SQLException {
        List<String> problems = new ArrayList<>();
        Grants grants = Grants.read(connection);
        missing(grants, column, ON_THE_TABLE)
                .ifPresent(missing -> problems.add("the account lacks a privilege: GRANT " + missing + " ON "
                        + Names.quoted(column.schema(), column.table())));
        Stream.of(StateTable.NAME, StateTable.RANGES, StateTable.ORIGINALS)
                .map(table -> missing(grants, TableColumn.of(column.schema(), table, "state"), ON_THE_SCHEMA))
                .flatMap(Optional::stream)
                .findFirst()
                .ifPresent(missing ->
                        problems.add("the account lacks a privilege for the tables that remember the change: GRANT "
                                + missing + " ON "
                                + Names.quoted(column.schema()) + ".* (or on each of " + StateTable.NAME + ", "
                                + StateTable.RANGES + ", " + StateTable.ORIGINALS + " and " + ReplicaLag.TABLE + ")"));
        return problems;
    }

    static Optional<String> unlogged(Connection connection) throws SQLException {
        return RowImage.isUnlogged(connection)
                ? Optional.of(
                        "the server sets sql_log_bin to 0 for this account, in its init_connect: replicas would not get the"
                                + " changes; use another account, or SET GLOBAL init_connect without it")
                : Optional.empty();
    }

    /** Replicas and programs that read the log, whose lag nobody watches. */
    static Optional<String> unwatched(Connection connection, ReencodeOptions options) throws SQLException {
        if (!options.pace().replicas().isEmpty() || options.pace().ignoresReplicas()) {
            return Optional.empty();
        }
        return Dependents.logReaders(connection)
                .filter(found -> !found.isEmpty())
                .map(found -> String.join(", ", found)
                        + ": name replicas with --replicas, so that their lag is watched, or say --ignore-replicas");
    }

    /** A reader that announced itself in the schema, and cannot read what would be written. */
    static Optional<String> unreadable(Beginning on) throws SQLException {
        Optional<Target> encoded = on.target().filter(each -> !each.isRaw());
        if (encoded.isEmpty() || on.options().force() || !hasReaders(on.connection(), on.column())) {
            return Optional.empty();
        }
        try (ReaderRegistry readers =
                ReaderRegistry.in(new Connections(on.endpoint()), on.column().schema())) {
            encoded.get().requireReaders(readers);
            return Optional.empty();
        } catch (IllegalStateException e) {
            return Optional.of(e.getMessage() + "; --force changes values all the same");
        }
    }

    /** On a node of a Galera cluster: values would be other ones on each node. */
    static Optional<String> unsent(Connection connection) throws SQLException {
        String isConnected = Sql.pairs(connection, "SHOW GLOBAL STATUS LIKE 'wsrep_connected'")
                .getOrDefault("wsrep_connected", "OFF");
        boolean isUnsent = isConnected.equals("ON")
                && JdbcDriver.variable(connection, "wsrep_on").equals("OFF");
        return isUnsent
                ? Optional.of("the server sends no changes to the other nodes of its Galera cluster (wsrep_on is OFF):"
                        + " SET GLOBAL wsrep_on = ON")
                : Optional.empty();
    }

    private static Optional<String> missing(Grants grants, TableColumn of, List<String> privileges) {
        List<String> missing = privileges.stream()
                .filter(privilege -> !grants.has(privilege, of))
                .toList();
        return missing.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", missing));
    }

    /** Facts for the user. */
    public static List<String> remarks(Connection connection, ReencodeOptions options) throws SQLException {
        List<String> remarks = new ArrayList<>();
        if (Dependents.logReaders(connection).isEmpty()
                && options.pace().replicas().isEmpty()) {
            remarks.add(
                    "the account may not see which replicas and programs read the binary log: GRANT PROCESS ON *.*");
        }
        return remarks;
    }

    private static boolean hasReaders(Connection connection, TableColumn column) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?")) {
            select.setString(1, column.schema());
            select.setString(2, READERS);
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    /** Readers that announced themselves in the schema. */
    public static List<String> readers(Connection connection, Endpoint endpoint, TableColumn column)
            throws SQLException {
        return hasReaders(connection, column)
                ? ReaderRegistry.in(new Connections(endpoint), column.schema()).readers().stream()
                        .map(reader -> reader.name() + " (version " + reader.version() + ": "
                                + String.join(
                                        ", ", reader.codecs().stream().sorted().toList()) + ")")
                        .toList()
                : List.of();
    }
}
