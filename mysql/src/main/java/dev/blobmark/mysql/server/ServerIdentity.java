package dev.blobmark.mysql.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The product, version and settings that a server reports. Every figure is shown with them.
 *
 * @param product {@code MySQL}, {@code MariaDB}, {@code Redis}, {@code Valkey} or {@code PostgreSQL}
 * @param version as in {@code SELECT VERSION()}
 * @param versionComment the build, as in {@code @@version_comment}
 * @param variables global variables, sorted by name, without those that hold a secret
 * @param cluster of an SQL node: the cluster's numbers of data nodes and replicas, the versions of its nodes, and the
 *     parameters that affect figures; otherwise empty
 */
public record ServerIdentity(
        String product,
        String version,
        String versionComment,
        SortedMap<String, String> variables,
        SortedMap<String, String> cluster) {

    /** Variables of MariaDB 11.4 and MySQL 9 that may hold a password or a key, and others with similar names. */
    private static final Pattern SECRET =
            Pattern.compile("(.*_)?(pwd|password|token|secret|filekey|auth)|init_connect|init_replica|init_slave"
                    + "|wsrep_provider_options");

    public ServerIdentity {
        variables = Collections.unmodifiableSortedMap(new TreeMap<>(variables));
        cluster = Collections.unmodifiableSortedMap(new TreeMap<>(cluster));
    }

    /** A server that is not an SQL node of a cluster. */
    public ServerIdentity(String product, String version, String versionComment, SortedMap<String, String> variables) {
        this(product, version, versionComment, variables, Collections.emptySortedMap());
    }

    /** Reads the identity from a MySQL or MariaDB. */
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

    /** The name that is shown with a figure, such as {@code MariaDB 11.4.5-MariaDB}. */
    @Override
    public String toString() {
        return product + " " + version;
    }
}
