package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.fleet.host.Application;
import dev.blobmark.lab.hosts.Cluster.Request;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the settings of an application come from, and which are refused. */
class SparkSettingsTest {

    @TempDir
    private Path directory;

    private Path file(String name, String mode, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private SparkSettings read(Map<String, String> onCommandLine, Path file) throws IOException {
        return SparkSettings.read(request(onCommandLine, file), Map.of("SPARK_CONF_DIR", directory.toString())::get);
    }

    private Request request(Map<String, String> onCommandLine, Path file) {
        return new Request("spark://m:1", 3, onCommandLine, Optional.ofNullable(file), false, directory, notice -> {});
    }

    @Test
    void theCommandLineComesBeforeTheFileBeforeTheDefaults() throws IOException {
        file("spark-defaults.conf", "rw-r--r--", """
                # of all applications
                spark.master            spark://elsewhere:7077
                spark.cores.max         99
                spark.executor.memory=1g
                spark.executor.cores    2
                spark.locality.wait   \t 1s \t
                not.of.spark            1
                """);
        Path file = file("own.conf", "rw-------", "spark.executor.cores 3\nspark.locality.wait: 2s\n");
        Map<String, String> onCommandLine = Map.of("spark.locality.wait", "3s");
        SparkSettings settings = read(onCommandLine, file);

        assertThat(settings.all())
                .containsEntry("spark.executor.memory", "1g")
                .containsEntry("spark.executor.cores", "3")
                .containsEntry("spark.locality.wait", "3s")
                .doesNotContainKey("not.of.spark");
        assertThat(settings.ofApplication(
                        request(onCommandLine, file),
                        InetAddress.getLoopbackAddress(),
                        Map.of("spark.task.maxFailures", "1")))
                .containsEntry("spark.master", "spark://m:1")
                .containsEntry("spark.cores.max", "3")
                .containsEntry("spark.executor.cores", "3")
                .containsEntry("spark.task.maxFailures", "1")
                .containsEntry("spark.ui.enabled", "false")
                .containsEntry("spark.io.encryption.enabled", "true")
                .containsEntry("spark.network.crypto.saslFallback", "false");
    }

    @Test
    void theDefaultsAreThoseOfTheInstallationIfNoDirectoryIsNamed() throws IOException {
        Path home = directory.resolve("home");
        Files.createDirectories(home.resolve("conf"));
        Files.writeString(home.resolve("conf/spark-defaults.conf"), "spark.executor.memory 1g");
        Map<String, String> environment = new HashMap<>(Map.of("SPARK_HOME", home.toString(), "SPARK_CONF_DIR", ""));
        Request request = request(Map.of(), null);

        assertThat(SparkSettings.read(request, environment::get).all()).containsOnlyKeys("spark.executor.memory");
        environment.put("SPARK_CONF_DIR", directory.toString());
        assertThat(SparkSettings.read(request, environment::get).all()).isEmpty();
        assertThat(SparkSettings.read(request, name -> null).all()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw-----w-", "rw----r--", "rwx------"})
    void aFileThatOthersMayReadIsRefused(String mode) throws IOException {
        Path file = file("own.conf", mode, "spark.authenticate true");

        assertThatThrownBy(() -> read(Map.of(), file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chmod 600 " + file);
    }

    @Test
    void aFileMayBeReadOnly() throws IOException {
        assertThat(read(Map.of(), file("own.conf", "r--------", "spark.authenticate true"))
                        .all())
                .containsEntry("spark.authenticate", "true");
    }

    @Test
    void aFileOfAnotherUserIsRefused() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give a file to another user");
        Path file = file("own.conf", "rw-------", "spark.authenticate true");
        Files.setOwner(
                file, file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));

        assertThatThrownBy(() -> read(Map.of(), file))
                .hasMessageContaining(" belongs to nobody, and this process to root");
    }

    @Test
    void aFileThatIsMissingOrHoldsSomethingElseIsNamed() throws IOException {
        assertThatThrownBy(() -> read(Map.of(), directory.resolve("none"))).hasMessageContaining("none is not a file");
        Path typo = file("own.conf", "rw-------", "sparc.authenticate true");
        assertThatThrownBy(() -> read(Map.of(), typo)).hasMessageContaining(typo + ":1: this is not a setting");
        Path bare = file("bare.conf", "rw-------", "# the secret\nspark.authenticate true\nZebra-Only\n");
        assertThatThrownBy(() -> read(Map.of(), bare))
                .hasMessageContaining(bare + ":3: this is not a setting")
                .hasMessageNotContaining("Zebra");
        Path malformed = file("malformed.conf", "rw-------", "spark.a \\u00zz");
        assertThatThrownBy(() -> read(Map.of(), malformed)).hasMessageContaining("malformed.conf cannot be read");
    }

    @ParameterizedTest
    @CsvSource({
        "spark.authenticate.secret, top",
        "spark.ssl.rpc.keyStorePassword, top",
        "spark.hadoop.fs.s3a.access.key, top",
        "spark.hadoop.fs.s3a.accesskey, top",
        "spark.hadoop.fs.s3a.SECRET.key, top",
        "spark.kubernetes.authenticate.oauthToken, top",
        "spark.executorEnv.X, PASSWORD=top",
        "spark.mine, our-key-top",
        "spark.hadoop.fs.azure.account.key.lake.dfs.core.windows.net, top",
        "spark.hadoop.fs.azure.sas.box.lake.blob.core.windows.net, top",
        "spark.hadoop.fs.s3a.server-side-encryption.key, top",
        "spark.hadoop.fs.s3a.bucket.lake.encryption.key, top",
        "spark.hadoop.fs.gs.auth.service.account.private.key, top",
        "spark.hadoop.ssl.server.keystore.pass, top",
        "spark.hadoop.dfs.adls.oauth2.credential, top",
        "spark.mine, https://lake/x?sv=1&sig=top"
    })
    void aSecretOnTheCommandLineIsRefusedWithoutItsValue(String key, String value) throws IOException {
        Path file = file("own.conf", "rw-------", "spark.redaction.regex (?i)our-key");

        assertThatThrownBy(() -> read(Map.of(key, value), file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--spark-conf " + key)
                .hasMessageContaining("--spark-conf-file")
                .hasMessageNotContaining("top");
    }

    /** In its log of events. */
    @Test
    void sparkKeepsOutTheSameSecrets() throws IOException {
        Map<String, String> own = Map.of("spark.redaction.regex", "our-(?i:key)");
        Pattern regex = Pattern.compile(read(own, null)
                .ofApplication(request(own, null), InetAddress.getLoopbackAddress(), Map.of())
                .get("spark.redaction.regex"));

        assertThat(List.of("our-KEY", "a.PASSWORD", "spark.hadoop.fs.azure.account.key.lake", "x.keystore.pass"))
                .allMatch(key -> regex.matcher(key).find());
        assertThat(List.of("OUR-key", "spark.executor.memory", "spark.ssl.rpc.privateKey"))
                .noneMatch(key -> regex.matcher(key).find());
    }

    @Test
    void whatIsNoSecretIsAcceptedOnTheCommandLine() throws IOException {
        Map<String, String> settings = Map.of(
                "spark.authenticate", "true", "spark.redaction.regex", "password|key", "spark.executor.memory", "1g");

        assertThat(read(settings, null).all()).isEqualTo(settings);
    }

    @Test
    void aSecretThatSparkWouldPutIntoTheCommandOfAnExecutorIsRefused() throws IOException {
        Path file = file("own.conf", "rw-------", "spark.executor.extraJavaOptions -Ddb.password=top");

        assertThatThrownBy(() -> read(Map.of(), file))
                .hasMessageContaining("spark.executor.extraJavaOptions has a secret")
                .hasMessageNotContaining("top");
    }

    @Test
    void defaultsWithASecretThatEverybodyCanReadAreRefused() throws IOException {
        Path file = file("spark-defaults.conf", "rw-r--r--", "spark.authenticate.secret top");

        assertThatThrownBy(() -> read(Map.of(), null))
                .hasMessageContaining("chmod 600 " + file)
                .hasMessageNotContaining("top");
        Files.writeString(file, "spark.hadoop.fs.azure.account.key.lake top");
        assertThatThrownBy(() -> read(Map.of(), null)).hasMessageContaining("chmod 600 " + file);
        Files.writeString(file, "spark.authenticate.secret top");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(read(Map.of(), null).all()).containsEntry("spark.authenticate.secret", "top");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r--rw-", "rw-rw-rw-"})
    void defaultsThatOthersMayWriteAreRefused(String mode) throws IOException {
        Path file = file("spark-defaults.conf", mode, "spark.plugins Theirs");

        assertThatThrownBy(() -> read(Map.of(), null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("other users may write to " + file)
                .hasMessageContaining("SPARK_CONF_DIR");
        assertThatThrownBy(() -> SparkSettings.requireSafe(List.of(file), name -> null))
                .hasMessageContaining("other users may write to " + file);
    }

    @Test
    void filesInADirectoryThatOthersMayWriteAreRefused() throws IOException {
        file("spark-defaults.conf", "rw-r--r--", "spark.executor.memory 1g");
        Path own = file("own.conf", "rw-------", "spark.executor.memory 1g");
        Files.setAttribute(directory, "unix:mode", 0777);

        assertThatThrownBy(() -> read(Map.of(), null)).hasMessageContaining("other users may write to " + directory);
        Files.delete(directory.resolve("spark-defaults.conf"));
        assertThatThrownBy(() -> read(Map.of(), own)).hasMessageContaining("other users may write to " + directory);
    }

    @Test
    void defaultsOfAnotherUserAreRefused() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give a file to another user");
        Path file = file("spark-defaults.conf", "rw-------", "spark.plugins Theirs");
        Files.setOwner(
                file, file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));

        assertThatThrownBy(() -> read(Map.of(), null)).hasMessageContaining(file + " belongs to nobody");
    }

    @Test
    void aFileOfASubmittedApplicationWithASecretIsRefusedIfOthersCanReadIt() throws IOException {
        Path file = file("submit.conf", "rw-r--r--", "spark.authenticate.secret top");

        assertThat(Fleet.files(List.of("java", "--properties-file", file.toString(), "--properties-file=b")))
                .containsExactly(file, Path.of("b"));
        assertThatThrownBy(() -> SparkSettings.requireSafe(List.of(file), name -> null))
                .hasMessageContaining("chmod 600 " + file)
                .hasMessageNotContaining("top");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        SparkSettings.requireSafe(List.of(file), name -> null);
    }

    @Test
    void anAddressOfAMasterWithAPasswordIsRefusedWithoutIt() {
        assertThatThrownBy(() -> Masters.parse("spark://u:Zebra@127.0.0.1:7077"))
                .hasMessageContaining("spark://HOST:7077")
                .hasMessageNotContaining("Zebra");
    }

    @Test
    void executorsHaveDirectoriesOfTheirOwnUnlessTheUserHasSetOthers() throws IOException {
        Map<String, String> settings = Map.of("spark.executor.defaultJavaOptions", "-Dx=1");

        assertThat(read(settings, null)
                        .ofApplication(request(settings, null), InetAddress.getLoopbackAddress(), Map.of()))
                .containsEntry(
                        "spark.executor.defaultJavaOptions",
                        "-Djava.io.tmpdir=. -Dio.netty.transport.noNative=true -Dx=1");
    }

    /** A library for sockets would be unpacked before an executor can look at its directory. */
    @ParameterizedTest
    @CsvSource({"spark.rpc.io.mode, EPOLL", "spark.shuffle.io.mode, kqueue", "spark.io.mode.default, EPOLL"})
    void socketsWithANativeLibraryAreRefused(String setting, String mode) {
        Application.check(Map.of(setting, "NIO"));
        Application.check(Map.of(setting, "AUTO"));
        assertThatThrownBy(() -> Application.check(Map.of(setting, mode)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("set " + setting + "=NIO");
    }

    @Test
    void whatCannotBeHonouredIsRefused() {
        assertThatThrownBy(() -> read(Map.of("spark.master", "spark://elsewhere:1"), null))
                .hasMessageContaining("--spark-conf spark.master is what --on names");
        assertThatThrownBy(() -> read(Map.of("spark.redaction.regex", "("), null))
                .hasMessageContaining("spark.redaction.regex is not a regular expression");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            spark.authenticate=                                  | spark.authenticate is not true
            spark.authenticate=yes                               | spark.authenticate is not true
            spark.network.crypto.enabled=false                   | neither spark.network.crypto.enabled nor spark.ssl.rpc.enabled
            spark.network.crypto.saslFallback=true               | turns encryption off
            spark.ui.enabled=true                                | sees and ends jobs
            """)
    void settingsThatLeaveADoorOpenAreRefused(String setting, String reason) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "spark.authenticate", "true", "spark.network.crypto.enabled", "true", "spark.ui.enabled", "false"));
        ClusterSecurity.require(settings);
        String[] parts = setting.split("=", 2);
        settings.put(parts[0], parts[1]);

        assertThatThrownBy(() -> ClusterSecurity.require(settings))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining("--insecure-cluster");
    }

    /** Spark trusts everybody without a store, and if its file is missing. */
    @Test
    void tlsThatTrustsEverybodyIsRefused(@TempDir Path directory) throws Exception {
        Map<String, String> settings =
                new HashMap<>(Map.of("spark.authenticate", "true", "spark.ssl.rpc.enabled", "true"));
        assertThatThrownBy(() -> ClusterSecurity.require(settings)).hasMessageContaining("accepts every certificate");
        Path store = directory.resolve("trust.p12");
        settings.put("spark.ssl.rpc.trustStore", store.toString());
        assertThatThrownBy(() -> ClusterSecurity.require(settings)).hasMessageContaining("cannot be read");
        Files.write(store, new byte[1]);
        ClusterSecurity.require(settings);
    }

    @Test
    void tlsAndAnInterfaceWithAFilterAreAccepted() {
        ClusterSecurity.require(Map.of(
                "spark.authenticate", "true",
                "spark.ssl.rpc.enabled", "true",
                "spark.ssl.rpc.certChain", "/etc/spark/chain.pem",
                "spark.network.crypto.saslFallback", "true",
                "spark.ui.enabled", "true",
                "spark.ui.filters", "org.apache.spark.ui.JWSFilter"));
    }
}
