package dev.blobmark.lab.server.own;

import dev.blobmark.mysql.server.Authentication;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The files of a MySQL. Seen with 9.7.4: 3 to 6 s to make the system tables, less than 1 s to copy them, 2 s to start.
 *
 * @param version of the server, {@link ServerVersion#MYSQL} or later
 */
public record MysqlBinaries(Path base, Path server, Path share, ServerVersion version) implements Binaries {

    private static final long MIB = 1L << 20;

    /** The server's default. */
    private static final long MAX_CHUNK_MIB = 128;

    private static final ServerVersion RESIZABLE_REDO_LOG = new ServerVersion(8, 0, 30);

    /** Variables that affect how a server uses its files, but not the contents of a new data directory. */
    private static final Set<String> RUNTIME_VARIABLES = Set.of(
            "innodb_buffer_pool_chunk_size",
            "innodb_directories",
            "innodb_doublewrite",
            "innodb_flush_log_at_trx_commit",
            "innodb_flush_method",
            "innodb_random_read_ahead",
            "innodb_read_ahead_threshold",
            "ndb_connectstring",
            "ndb_nodeid",
            "ndbcluster",
            "sync_binlog");

    static MysqlBinaries of(Path base, Path program, ServerVersion version) {
        if (version.isBefore(ServerVersion.MYSQL)) {
            throw new ServerException(program + " is MySQL " + version + ", which is too old. Use MySQL "
                    + ServerVersion.MYSQL + " or later.");
        }
        Path share = Stream.of("share", "share/mysql", "share/mysql-" + version.major() + "." + version.minor())
                .map(base::resolve)
                .filter(directory -> Files.isRegularFile(directory.resolve("english/errmsg.sys")))
                .findFirst()
                .orElseThrow(() -> new ServerException("there is no share/english/errmsg.sys in " + base
                        + ", which has "
                        + program + ": a server needs its messages. Name the directory of the installation, as in"
                        + " --server mysqld:/opt/mysql."));
        return new MysqlBinaries(base, program, share, version);
    }

    @Override
    public Map<String, String> settings(long bufferPoolBytes) {
        Map<String, String> settings = new HashMap<>(Map.of(
                // avoids a second port; "loose" because a server may be built without this protocol
                "loose_mysqlx", "OFF",
                // the server would spend time on certificates that are not used
                "auto_generate_certs", "OFF"));
        // MySQL rounds the buffer pool up to whole chunks
        long poolMib = bufferPoolBytes / MIB;
        long chunkMib = LongStream.iterate(Math.min(MAX_CHUNK_MIB, poolMib), mib -> mib - 1)
                .filter(mib -> poolMib % mib == 0)
                .findFirst()
                .orElseThrow();
        settings.put("innodb_buffer_pool_chunk_size", Long.toString(chunkMib * MIB));
        if (version.isBefore(RESIZABLE_REDO_LOG)) {
            settings.put("innodb_log_file_size", Long.toString(OwnServer.REDO_LOG_BYTES / 2));
        } else {
            settings.put("innodb_redo_log_capacity", Long.toString(OwnServer.REDO_LOG_BYTES));
        }
        return settings;
    }

    /** MySQL 8.4 has no {@code skip_ssl}. */
    @Override
    public List<String> withoutTls() {
        return List.of("tls_version=\"\"");
    }

    /**
     * MySQL runs the statements of an init file when it has made the tables and before it accepts connections. The file
     * is a pipe from this JVM, so that no file contains the password, which MySQL needs in clear text.
     */
    @Override
    public List<String> bootstrapArguments() {
        return List.of("--initialize-insecure", OwnServer.READ_STATEMENTS, "--tls-version=");
    }

    /**
     * The init file has a statement per line. All accounts that stay are locked: the definers of MySQL's own views, and
     * Blobmark's account until the server's first start, so that servers from one template do not share a password.
     */
    @Override
    public String bootstrapSql(String account) {
        return "CREATE USER " + account + " ACCOUNT LOCK;\n"
                + "GRANT ALL ON *.* TO " + account + " WITH GRANT OPTION;\n"
                + "DROP USER 'root'@'localhost';\n";
    }

    @Override
    public String firstSql(String account, String password) {
        return "ALTER USER " + account + " IDENTIFIED WITH caching_sha2_password BY '" + password
                + "' ACCOUNT UNLOCK;\n";
    }

    /**
     * Uses the key that the server has made in its data directory, so that only this server can decrypt the password.
     * MySQL makes the key unless a variable names another one.
     */
    @Override
    public Authentication authentication(Path data) {
        Path key = data.resolve("public_key.pem");
        if (!Files.isRegularFile(key)) {
            throw new ServerException(
                    "the server has not made " + key + ", the key that encrypts passwords: remove the server variables"
                            + " caching_sha2_password_auto_generate_rsa_keys and"
                            + " caching_sha2_password_public_key_path");
        }
        return Authentication.own("caching_sha2_password", Optional.of(key.toString()));
    }

    /**
     * Exists for MySQL 8.0.30 and later; an older version would need a copy of its redo log. Each server makes its own
     * UUID, keys, and spare files of the redo log.
     */
    @Override
    public Optional<DataTemplate> template(Path cache, Map<String, String> settings, Path data) throws IOException {
        if (version.isBefore(RESIZABLE_REDO_LOG)) {
            return Optional.empty();
        }
        Path program = server.toRealPath();
        Map<String, String> persistent = new TreeMap<>(settings);
        persistent.keySet().removeIf(name -> RUNTIME_VARIABLES.contains(name.replaceFirst("^loose_", "")));
        return Optional.of(DataTemplate.of(
                cache,
                List.of(
                        program.toString(),
                        version.toString(),
                        Long.toString(Files.size(program)),
                        Files.getLastModifiedTime(program).toString(),
                        // a file system may ignore the case of names, which the server records
                        Files.getFileStore(data).type(),
                        persistent.toString(),
                        bootstrapArguments() + bootstrapSql("")),
                path -> !path.toString().matches("auto\\.cnf|.*\\.pem|#innodb_redo/.*_tmp")));
    }
}
