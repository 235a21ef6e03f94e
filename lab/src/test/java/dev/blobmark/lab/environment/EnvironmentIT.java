package dev.blobmark.lab.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.lab.server.own.InstalledMySqlIT;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.OwnServerIT;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerIdentity;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvironmentIT {

    private static final long MIB = 1L << 20;

    private static Environment with(Durability durability, Storage storage, Optional<Long> pool) {
        return new Environment(durability, storage, pool, CpuShare.WHOLE, new TreeMap<>());
    }

    private static Environment asking(Map<String, String> variables) {
        return new Environment(
                Durability.FULL, new Storage.Disk(), Optional.empty(), CpuShare.WHOLE, new TreeMap<>(variables));
    }

    @SuppressWarnings("unchecked")
    private static Factor<String> variable(String name) {
        return (Factor<String>) Environment.VARIABLES.members().apply("server." + name);
    }

    private static Map<String, String> variables(OwnServer server) throws SQLException {
        try (Connection connection = connect(server)) {
            return ServerIdentity.read(connection).variables();
        }
    }

    private static Connection connect(OwnServer server) throws SQLException {
        Endpoint endpoint = server.endpoint();
        return DriverManager.getConnection(
                "jdbc:mariadb://" + endpoint.host() + ":" + endpoint.port() + "/?sslMode=disable",
                endpoint.user(),
                endpoint.password());
    }

    private static OwnServer start(Environment environment) {
        return OwnServer.start(OwnServerIT.CACHE, ServerOptions.of(environment).withTls(false));
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    @Tag("long")
    @Timeout(60)
    void aServerHasTheDurabilityThatItWasStartedWith(Durability durability) throws Exception {
        Environment environment = with(durability, new Storage.Disk(), Optional.of(16 * MIB));
        try (OwnServer server = start(environment)) {
            Map<String, String> effective = variables(server);

            environment.verify(effective);
            assertThat(effective)
                    .containsEntry(
                            "innodb_flush_log_at_trx_commit",
                            Map.of(Durability.FULL, "1", Durability.LAZY, "2", Durability.NONE, "0")
                                    .get(durability))
                    .containsEntry("innodb_doublewrite", durability == Durability.NONE ? "OFF" : "ON")
                    .containsEntry("sync_binlog", durability == Durability.FULL ? "1" : "0")
                    .containsEntry("innodb_read_ahead_threshold", "0")
                    .containsEntry("innodb_buffer_pool_size", "16777216");
        }
    }

    /** Of {@code full} see {@link InstalledMySqlIT}: it is what MySQL is by itself. */
    @ParameterizedTest
    @EnumSource(
            value = Durability.class,
            names = {"LAZY", "NONE"})
    @Tag("long")
    @Timeout(120)
    void aMySqlHasTheDurabilityThatItWasStartedWith(Durability durability) throws Exception {
        Environment environment = with(durability, new Storage.Disk(), Optional.of(16 * MIB));
        try (Server server = Servers.parse("mysqld:" + RealMySql.requireBase())
                .open(OwnServerIT.CACHE, ServerOptions.of(environment).withTls(false))) {
            Map<String, String> effective = variables((OwnServer) server);

            environment.verify(effective);
            assertThat(effective)
                    .containsEntry("innodb_flush_log_at_trx_commit", durability == Durability.LAZY ? "2" : "0")
                    .containsEntry("innodb_doublewrite", durability == Durability.NONE ? "OFF" : "ON")
                    .containsEntry("sync_binlog", "0")
                    .containsEntry("innodb_buffer_pool_size", "16777216");
        }
    }

    /** With 32 MiB of values: what the second look at all of them reads from the files. */
    @ParameterizedTest
    @CsvSource({"4, true", "0.5, false"})
    @Tag("long")
    @Timeout(120)
    void aWorkingSetLargerThanThePoolIsReadFromTheFiles(BigDecimal ratio, boolean isRead) throws Exception {
        Optional<Long> pool = new WorkingSet(Optional.of(ratio)).poolBytes(32 * MIB);
        Environment environment =
                with(Durability.NONE, new Storage.Disk(), pool).in(OwnServerIT.CACHE);
        try (OwnServer server = start(environment);
                Connection connection = connect(server);
                Statement statement = connection.createStatement()) {
            environment.verify(ServerIdentity.read(connection).variables());
            statement.execute("CREATE DATABASE d");
            statement.execute("CREATE TABLE d.t (id INT PRIMARY KEY, data MEDIUMBLOB NOT NULL)");
            statement.execute(
                    "INSERT INTO d.t WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 511)"
                            + " SELECT i, REPEAT(RANDOM_BYTES(1024), 64) FROM n");
            look(statement);
            long before = pagesRead(statement);
            look(statement);

            long pages = pagesRead(statement) - before;
            if (isRead) {
                // three quarters of 2,560 pages cannot have stayed
                assertThat(pages).isGreaterThan(1_000);
            } else {
                assertThat(pages).isZero();
            }
        }
    }

    private static void look(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT SUM(CRC32(data)), SUM(LENGTH(data)) FROM d.t")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getLong(2)).isEqualTo(32 * MIB);
        }
    }

    private static long pagesRead(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_reads'")) {
            assertThat(row.next()).isTrue();
            return row.getLong(2);
        }
    }

    @Test
    @Timeout(60)
    void aServerOnTmpfsHasItsFilesThere() throws Exception {
        Storage.StoragePlace place = new Storage.Tmpfs().place(OwnServerIT.CACHE, 1 << 30);
        assumeTrue(place instanceof Storage.StoragePlace.Available, place::toString);
        Path parent = ((Storage.StoragePlace.Available) place).directory();

        try (OwnServer server = OwnServer.start(
                OwnServerIT.CACHE,
                ServerOptions.of(16 * MIB).withTls(false).with(new ServerLaunch(Optional.of(parent), List.of())))) {
            Path files = Path.of(variables(server).get("datadir"));
            assertThat(Files.getFileStore(files).type()).isEqualTo("tmpfs");
            assertThat(files.resolve("ibdata1")).exists();
            assertThat(server.scratch()).startsWith(parent.toRealPath());
        }
        assertThat(Files.list(parent).filter(Files::isDirectory)).isEmpty();
    }

    @Test
    void placesOfTmpfsAreReadFromTheMounts() {
        assertThat(Storage.Tmpfs.mounted("""
                        tmpfs /run tmpfs rw,nosuid 0 0
                        /dev/vda / ext4 rw 0 0
                        tmpfs /mnt/with\\040blank tmpfs rw 0 0
                        tmpfs /dev/shm tmpfs rw 0 0
                        """))
                .containsExactly(Path.of("/dev/shm"), Path.of("/run"), Path.of("/mnt/with blank"));
    }

    @Test
    void noTmpfsIsLargeEnoughForEverything() {
        assertThat(new Storage.Tmpfs().place(OwnServerIT.CACHE, 1L << 60))
                .isInstanceOfSatisfying(
                        Storage.StoragePlace.Missing.class,
                        missing -> assertThat(missing.reason()).contains("MiB free", "storage dir:PATH"));
    }

    /** Servers left behind are swept where they are made: there must be nothing else. */
    @Test
    void aDirectoryOfTheUsersHoldsServersInOneOfTheirOwn(@TempDir Path mine) throws Exception {
        Storage storage = Storage.FACTOR.parse("dir:" + mine);
        Storage.StoragePlace place = storage.place(OwnServerIT.CACHE, 1);

        assertThat(place).isInstanceOfSatisfying(Storage.StoragePlace.Available.class, available -> {
            assertThat(available.directory()).hasParentRaw(mine);
            assertThat(available.directory().getFileName().toString()).startsWith("blobmark-servers-");
        });
        Files.createSymbolicLink(((Storage.StoragePlace.Available) place).directory(), mine.resolve("elsewhere"));
        assertThat(storage.place(OwnServerIT.CACHE, 1)).isInstanceOf(Storage.StoragePlace.Missing.class);
        assertThat(new Storage.StorageDirectory(mine.resolve("none")).place(OwnServerIT.CACHE, 1))
                .isInstanceOfSatisfying(
                        Storage.StoragePlace.Missing.class,
                        missing -> assertThat(missing.reason()).contains("create it"));
    }

    @Test
    void aPoolIsSizedToTheValuesInWholeMebibytes() {
        assertThat(WorkingSet.FACTOR.parse("4").poolBytes(100 * MIB)).hasValue(25 * MIB);
        assertThat(WorkingSet.FACTOR.parse("0.5").poolBytes(100 * MIB + 300_000))
                .hasValue(201 * MIB);
        assertThat(WorkingSet.FACTOR.parse("fits").poolBytes(100 * MIB)).isEmpty();
        assertThat(WorkingSet.FACTOR.parse("1").poolBytes(2_500 * MIB)).hasValue(2_499 * MIB);
        assertThat(WorkingSet.chunkBytes(2_499 * MIB)).isEqualTo(3 * MIB);
        assertThat(WorkingSet.chunkBytes(201 * MIB)).isEqualTo(MIB);
        assertThat(WorkingSet.FACTOR.canonical("4.0")).isEqualTo("4");
        assertThatThrownBy(() -> WorkingSet.FACTOR.parse("4").poolBytes(16 * MIB))
                .hasMessage(
                        "working-set=4 of values of 16777216 bytes needs a buffer pool of 4 MiB, but a server accepts"
                                + " no less than 5 MiB; use more or larger values, at least 20971520 bytes in all");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "much", "10001", ""})
    void whatIsNoWorkingSetIsRefused(String text) {
        assertThatThrownBy(() -> WorkingSet.FACTOR.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    /** {@link StudyVariablesTest} has them all. */
    @Test
    void variablesThatLoadCodeOrNameFilesAreRefused() {
        assertThatThrownBy(() -> variable("plugin_load_add").canonical("evil.so"))
                .hasMessageContaining("the server variable plugin_load_add may load code");
        assertThatThrownBy(() -> variable("log_bin").canonical("/home/me/.ssh/authorized_keys"))
                .hasMessageContaining("is not a valid value of the server variable log_bin in a study");
    }

    @Test
    void variablesThatHoldTheServerToItsPlaceAreRefused() {
        assertThatThrownBy(() -> variable("datadir").canonical("/elsewhere"))
                .hasMessageContaining("server variable datadir is set by Blobmark");
        assertThatThrownBy(() -> variable("sort_buffer_size").canonical(""))
                .hasMessageContaining("must be one line of text");
        assertThat(variable("innodb_buffer_pool_size").canonical("64M")).isEqualTo("67108864");
        assertThatThrownBy(() -> variable("innodb_buffer_pool_size").canonical("64.5K"))
                .hasMessageContaining("whole MiB");
        assertThatThrownBy(() -> variable("innodb_buffer_pool_size").canonical("large"))
                .hasMessageContaining("write bytes, 64M or 2G");
    }

    @Test
    void theBufferPoolHasOneSize() {
        Map<String, String> pool = Map.of("innodb_buffer_pool_size", "67108864");

        assertThat(asking(pool).bufferPoolBytes()).isEqualTo(64 * MIB);
        assertThat(asking(pool).variables()).doesNotContainKey("innodb_buffer_pool_size");
        assertThatThrownBy(() -> new Environment(
                        Durability.FULL, new Storage.Disk(), Optional.of(MIB), CpuShare.WHOLE, new TreeMap<>(pool)))
                .hasMessageContaining("leave one of them out");
    }

    @Test
    void whatIsAskedForComesBeforeWhatFollows() {
        assertThat(asking(Map.of("innodb_flush_log_at_trx_commit", "2")).variables())
                .containsEntry("innodb_flush_log_at_trx_commit", "2")
                .containsEntry("sync_binlog", "1");
    }

    @Test
    void whatIsReadBackMayBeSpelledOtherwiseButNotBeOther() {
        Map<String, String> effective = new TreeMap<>(Environment.DEFAULT.variables());
        effective.put("innodb_buffer_pool_size", "1073741824");
        effective.put("sort_buffer_size", "1048576");
        effective.put("long_query_time", "10.000000");
        effective.put("autocommit", "1");

        asking(Map.of("sort_buffer_size", "1M", "long_query_time", "10", "autocommit", "on", "loose_not_here", "x"))
                .verify(effective);
        assertThatThrownBy(() -> asking(Map.of("sort_buffer_size", "1000000", "not_here", "x"))
                        .verify(effective))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("there is no variable not_here to read back")
                .hasMessageContaining("sort_buffer_size is 1048576, not 1000000");
    }

    @Test
    void isCalledByWhatIsUnusual() {
        assertThat(Environment.DEFAULT).hasToString("");
        assertThat(with(Durability.NONE, new Storage.Tmpfs(), Optional.of(64 * MIB)))
                .hasToString("durability=none,pool=64MiB,storage=tmpfs");
        assertThat(asking(Map.of("innodb_io_capacity", "300"))).hasToString("server.innodb_io_capacity=300");
    }
}
