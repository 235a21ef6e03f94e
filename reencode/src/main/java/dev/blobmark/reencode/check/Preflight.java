package dev.blobmark.reencode.check;

import dev.blobmark.mysql.admission.Replication;
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

/** Whether a change may begin on a server. */
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

    /**
     * Other reasons why not, with the remedies.
     *
     * @param target empty for the way back, after which readers find what they found before
     * @param isContinued whether a process before this one has begun; the server may not have noticed its end yet
     */
    public static List<String> problems(
            Connection connection,
            Endpoint endpoint,
            TableColumn column,
            ReencodeOptions options,
            Optional<Target> target,
            boolean isContinued)
            throws SQLException {
        List<String> problems = new ArrayList<>();
        new Replication(connection).refusal().ifPresent(problems::add);
        unsent(connection).ifPresent(problems::add);
        if (RowImage.isUnlogged(connection)) {
            problems.add(
                    "the server sets sql_log_bin to 0 for this account, in its init_connect: replicas would not get the"
                            + " changes; use another account, or SET GLOBAL init_connect without it");
        }
        if (options.replicas().isEmpty() && !options.ignoresReplicas() && !isContinued) {
            Dependents.logReaders(connection)
                    .filter(found -> !found.isEmpty())
                    .ifPresent(
                            found -> problems.add(
                                    String.join(", ", found)
                                            + ": name replicas with --replicas, so that their lag is watched, or say --ignore-replicas"));
        }
        Optional<Target> encoded = target.filter(each -> !each.isRaw());
        if (encoded.isPresent() && hasReaders(connection, column)) {
            try (ReaderRegistry readers = ReaderRegistry.in(new Connections(endpoint), column.schema())) {
                encoded.get().requireReaders(readers);
            } catch (IllegalStateException e) {
                if (!options.force()) {
                    problems.add(e.getMessage() + "; --force changes values all the same");
                }
            }
        }
        return problems;
    }

    /** On a node of a Galera cluster: values would be other ones on each node. */
    private static Optional<String> unsent(Connection connection) throws SQLException {
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
        if (Dependents.logReaders(connection).isEmpty() && options.replicas().isEmpty()) {
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
