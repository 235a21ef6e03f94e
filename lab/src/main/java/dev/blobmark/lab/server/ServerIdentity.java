package dev.blobmark.lab.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Which server it was, as it says itself. Every figure is shown with it.
 *
 * @param product {@code MySQL} or {@code MariaDB}
 * @param version as in {@code SELECT VERSION()}
 * @param versionComment who built it and how, as in {@code @@version_comment}
 * @param variables its global variables, sorted by name, without those that hold a secret
 * @param cluster of an NDB Cluster that it is an SQL node of: the numbers of data nodes and replicas, the versions of its nodes, and the
 *     parameters that bear on figures; none where it is of no cluster
 */
public record ServerIdentity(
        String product,
        String version,
        String versionComment,
        SortedMap<String, String> variables,
        SortedMap<String, String> cluster) {

    /** Variables that may hold a password or a key: those of MariaDB 11.4 and MySQL 9, and what is named in their way. */
    private static final Pattern SECRET =
            Pattern.compile("(.*_)?(pwd|password|token|secret|filekey|auth)|init_connect|init_replica|init_slave"
                    + "|wsrep_provider_options");

    public ServerIdentity {
        variables = Collections.unmodifiableSortedMap(new TreeMap<>(variables));
        cluster = Collections.unmodifiableSortedMap(new TreeMap<>(cluster));
    }

    /** Of no cluster. */
    public ServerIdentity(String product, String version, String versionComment, SortedMap<String, String> variables) {
        this(product, version, versionComment, variables, Collections.emptySortedMap());
    }

    /** Asks the server that the connection leads to. */
    public static ServerIdentity read(Connection connection) throws SQLException {
        SortedMap<String, String> variables = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW GLOBAL VARIABLES")) {
            while (rows.next()) {
                if (!isSecret(rows.getString(1))) {
                    variables.put(rows.getString(1), rows.getString(2));
                }
            }
        }
        String version = variables.get("version");
        String comment = variables.get("version_comment");
        boolean mariaDb = (version + comment).contains("MariaDB");
        return new ServerIdentity(
                mariaDb ? "MariaDB" : "MySQL",
                version,
                comment,
                variables,
                variables.containsKey("ndb_version") ? ClusterFacts.read(connection) : Collections.emptySortedMap());
    }

    public static boolean isSecret(String variable) {
        return SECRET.matcher(variable).matches();
    }

    /** The name to show beside a figure: {@code MariaDB 11.4.5-MariaDB}. */
    @Override
    public String toString() {
        return product + " " + version;
    }
}
