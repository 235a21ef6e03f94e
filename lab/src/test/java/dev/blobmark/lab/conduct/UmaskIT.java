package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.server.postgres.PostgresServers;
import dev.blobmark.lab.server.redis.RedisServers;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.directory.Scratch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Blobmark makes in its cache is the user's own, whatever the umask is. */
@Tag("long")
class UmaskIT {

    @TempDir
    private Path parent;

    /** Makes what is kept in a cache and while a server runs. Prints what is there. */
    static final class Maker {
        @SuppressWarnings("try") // they are only there
        public static void main(String[] args) throws Exception {
            Path cache = Path.of(args[0]);
            EncodedValues.of(ListedValues.random(50, 3_000), Codecs.parse("zstd"), cache.resolve("values"), b -> {});
            try (Scratch scratch = Scratch.make(cache);
                    Server mariadb = Servers.parse("embedded").open(cache);
                    AutoCloseable redis = RedisServers.EMBEDDED.open(cache);
                    AutoCloseable postgres = PostgresServers.EMBEDDED.open(cache)) {
                print(cache);
            }
        }

        private static void print(Path cache) throws IOException {
            try (Stream<Path> all = Files.walk(cache)) {
                for (Path each : (Iterable<Path>) all::iterator) {
                    if (!Files.isSymbolicLink(each)) {
                        int mode = (int) Files.getAttribute(each, "unix:mode");
                        System.out.printf("%s %04o%n", cache.relativize(each), mode & 07777);
                    }
                }
            }
        }
    }

    @Test
    void nothingInTheCacheMayBeWrittenByAGroup() throws Exception {
        Process made = new ProcessBuilder(List.of(
                        "sh",
                        "-c",
                        "umask 002; exec \"$@\"",
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Maker.class.getName(),
                        Files.createDirectory(parent.resolve("cache")).toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> lines = new ArrayList<>();
        try (var out = made.inputReader(StandardCharsets.UTF_8)) {
            out.lines().forEach(lines::add);
        }
        assertThat(made.waitFor()).isZero();
        assertThat(lines)
                .anyMatch(line -> line.startsWith("redis/redis-server-"))
                .anyMatch(line -> line.startsWith("embedded/mariadb-"))
                .anyMatch(line -> line.startsWith("embedded/postgresql-"))
                .anyMatch(line -> line.startsWith("values/"))
                .anyMatch(line -> line.startsWith("servers/"));
        assertThat(lines)
                // the cache itself was there, and servers make their own files below a directory of mode 700
                .filteredOn(line -> !line.startsWith(" ") && !line.matches("servers/[^/]+/.+"))
                .hasSizeGreaterThan(200)
                .allSatisfy(line -> assertThat(line).matches(".* 0[67]00"));
    }
}
