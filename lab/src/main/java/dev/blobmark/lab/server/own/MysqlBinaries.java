package dev.blobmark.lab.server.own;

import dev.blobmark.lab.server.Authentication;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.ServerVersion;
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
 * The files of a MySQL that a server is made from. Seen with 9.7.4: 3 to 6 s to make the system tables, less than 1 s to copy
 * them, 2 s to start.
 *
 * @param version of the server, {@link ServerVersion#MYSQL} or later
 */
public record MysqlBinaries(Path base, Path server, Path share, ServerVersion version) implements Binaries {

    private static final long MIB = 1L << 20;

    /** The server's own default. */
    private static final long MAX_CHUNK_MIB = 128;

    private static final ServerVersion RESIZABLE_REDO_LOG = new ServerVersion(8, 0, 30);

    /** Variables of how a server works with its files, which do not show in those that it has made. */
    private static final Set<String> OF_WORK = Set.of(
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
                .orElseThrow(() -> new ServerException("there is no share/english/errmsg.sys in " + base + ", where "
                        + program + " is: a server needs its messages. Name the directory that MySQL was installed to,"
                        + " as in --server mysqld:/opt/mysql."));
        return new MysqlBinaries(base, program, share, version);
    }

    @Override
    public Map<String, String> settings(long bufferPoolBytes) {
        Map<String, String> settings = new HashMap<>(Map.of(
                // no second protocol with a port of its own; a server may be built without it
                "loose_mysqlx", "OFF",
                // it would make certificates of its own, which nobody asks for
                "auto_generate_certs", "OFF"));
        // A buffer pool is rounded up to whole chunks.
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
     * Statements of an init file are run when the tables have been made, before anybody can connect. The file is a pipe from
     * this JVM: so the password, which MySQL has to be told in clear, is in no file.
     */
    @Override
    public List<String> bootstrapArguments() {
        return List.of("--initialize-insecure", OwnServer.READ_STATEMENTS, "--tls-version=");
    }

    /**
     * The init file wants a statement per line. The accounts that stay are locked: those that MySQL's own views are defined
     * by, and Blobmark's until the server's first start, as a template must have no password that several servers share.
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
     * The key that the server has made in its directory: what is encrypted with it, only that server reads. It makes one unless it is told
     * where another is.
     */
    @Override
    public Authentication authentication(Path data) {
        Path key = data.resolve("public_key.pem");
        if (!Files.isRegularFile(key)) {
            throw new ServerException(
                    "the server has made no " + key + ", with which passwords are sent to it: leave out the"
                            + " server variables caching_sha2_password_auto_generate_rsa_keys and"
                            + " caching_sha2_password_public_key_path");
        }
        return Authentication.own("caching_sha2_password", Optional.of(key.toString()));
    }

    /**
     * For MySQL 8.0.30 or later; before, the redo log would have to be copied. Each server makes its own UUID, keys, and spare files
     * of the redo log.
     */
    @Override
    public Optional<DataTemplate> template(Path cache, Map<String, String> settings, Path data) throws IOException {
        if (version.isBefore(RESIZABLE_REDO_LOG)) {
            return Optional.empty();
        }
        Path program = server.toRealPath();
        Map<String, String> deciding = new TreeMap<>(settings);
        deciding.keySet().removeIf(name -> OF_WORK.contains(name.replaceFirst("^loose_", "")));
        return Optional.of(DataTemplate.of(
                cache,
                List.of(
                        program.toString(),
                        version.toString(),
                        Long.toString(Files.size(program)),
                        Files.getLastModifiedTime(program).toString(),
                        // whether it tells upper from lower case in names, for one
                        Files.getFileStore(data).type(),
                        deciding.toString(),
                        bootstrapArguments() + bootstrapSql("")),
                path -> !path.toString().matches("auto\\.cnf|.*\\.pem|#innodb_redo/.*_tmp")));
    }
}
