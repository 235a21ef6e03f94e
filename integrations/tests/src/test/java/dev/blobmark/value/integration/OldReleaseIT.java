package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.Legacy;
import dev.blobmark.value.ReaderRegistry;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A release of November 2026, before checksums were the default, shares a table with this one. Its classes are in
 * {@code blobmark-value-of-november.jar}.
 */
@SuppressWarnings("try") // an announcement of the old release
class OldReleaseIT {

    private static final String JAR = "blobmark-value-of-november.jar";
    private static final List<String> CODECS = List.of("zstd:3", "lz4", "deflate:6", "brotli:5", "snappy");

    /** The old classes, by their names. */
    private static final class Old implements Closeable {

        private final URLClassLoader loader;

        Old() throws Exception {
            List<URL> urls = Stream.concat(
                            Stream.of(OldReleaseIT.class.getResource(JAR)),
                            Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                                    .filter(entry ->
                                            entry.matches(".*(zstd-jni|lz4-java|snappy-java|brotli4j|native-).*\\.jar"))
                                    .map(Old::url))
                    .toList();
            loader = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        }

        private static URL url(String entry) {
            try {
                return Path.of(entry).toUri().toURL();
            } catch (java.net.MalformedURLException e) {
                throw new IllegalArgumentException(e);
            }
        }

        Class<?> type(String name) throws Exception {
            return loader.loadClass("dev.blobmark.value." + name);
        }

        /** A format with this codec that writes. */
        Object format(String codec) throws Exception {
            Object builder = call(type("ValueFormat"), null, "builder");
            call(builder.getClass(), builder, "writes", codec);
            Object format = call(builder.getClass(), builder, "build");
            call(format.getClass(), format, "startWriting");
            return format;
        }

        static Object call(Class<?> type, Object object, String name, Object... arguments) throws Exception {
            Class<?>[] types = Arrays.stream(arguments)
                    .map(argument -> argument instanceof DataSource ? DataSource.class : argument.getClass())
                    .toArray(Class<?>[]::new);
            try {
                return type.getMethod(name, types).invoke(object, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }

        @Override
        public void close() throws IOException {
            loader.close();
        }
    }

    private static byte[] stored(Connection connection, int id) throws Exception {
        try (PreparedStatement select = connection.prepareStatement("SELECT payload FROM of_two WHERE id = ?")) {
            select.setInt(1, id);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getBytes(1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void anOldReleaseReadsAndWritesBesideThisOne(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (Old old = new Old();
                Connection connection = source.getConnection()) {
            Sql.execute(connection, "DROP TABLE IF EXISTS of_two");
            Sql.execute(connection, "CREATE TABLE of_two (id INT PRIMARY KEY, payload BLOB)");
            ValueFormat reader = ValueFormat.builder().build();
            int id = 0;
            for (String codec : CODECS) {
                ValueFormat now = ValueFormat.builder().writes(codec).build();
                now.startWriting();
                Object then = old.format(codec);
                for (int i = 0; i < 20; i++) {
                    byte[] value = i % 5 == 4 ? new byte[] {(byte) 0xBE, (byte) 0xC1, 7} : TestDictionaries.document(i);
                    for (byte[] bytes :
                            List.of(now.encode(value), (byte[]) Old.call(then.getClass(), then, "encode", value))) {
                        try (PreparedStatement insert =
                                connection.prepareStatement("INSERT INTO of_two VALUES (?, ?)")) {
                            insert.setInt(1, ++id);
                            insert.setBytes(2, bytes);
                            insert.executeUpdate();
                        }
                        byte[] found = stored(connection, id);
                        assertThat(reader.decode(found))
                                .as("%s, written as %d", codec, id)
                                .isEqualTo(value);
                        assertThat(Old.call(then.getClass(), then, "decode", found))
                                .as("%s, row %d", codec, id)
                                .isEqualTo(value);
                    }
                }
            }
            // what the old one does not know is an error there, and not another value
            ValueFormat framesOnly = ValueFormat.builder().reads(Legacy.NONE).build();
            Object then = old.format("lz4");
            assertThatThrownBy(() -> Old.call(then.getClass(), then, "decode", framesOnly.encode(new byte[] {1, 2, 3})))
                    .hasMessageContaining("codec number 6");
            Sql.execute(connection, "DROP TABLE of_two");
        }
    }

    /** What it announces has no dictionaries, so nothing is encoded with one while it is there. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void anOldReleasesAnnouncementIsUnderstood(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (Old old = new Old();
                Connection connection = source.getConnection()) {
            Sql.execute(connection, "DROP TABLE IF EXISTS blobmark_readers");
            Class<?> type = old.type("ReaderRegistry");
            Object registry = Old.call(type, null, "in", source, TestServers.SCHEMA);
            Old.call(type, registry, "create");
            AutoCloseable announcement = (AutoCloseable) Old.call(type, registry, "announce", "of November");
            try (ReaderRegistry readers =
                    ReaderRegistry.in(source, TestServers.SCHEMA).create()) {
                ValueDictionary dictionary = TestDictionaries.trained(0);
                ValueFormat.Builder builder =
                        ValueFormat.builder().writes("zstd:3").readers(readers);
                builder.build().startWriting();
                ValueFormat withDictionary = builder.dictionaries(Dictionaries.of(dictionary))
                        .writesWith(dictionary)
                        .policy(EncodingPolicy.STANDARD)
                        .build();
                assertThatThrownBy(withDictionary::startWriting)
                        .hasMessageContaining("since of November cannot read it");
                ValueFormat framesOnly = ValueFormat.builder()
                        .reads(Legacy.NONE)
                        .writes("lz4")
                        .readers(readers)
                        .build();
                assertThatThrownBy(framesOnly::startWriting).hasMessageContaining("since of November cannot read it");
                // it removes its row, which may as well have been lost: it counts for five minutes
                announcement.close();
                assertThatThrownBy(framesOnly::startWriting).hasMessageContaining("since of November cannot read it");
            }
            try (ReaderRegistry later = ReaderRegistry.in(source, TestServers.SCHEMA)) {
                ValueFormat.builder()
                        .reads(Legacy.NONE)
                        .writes("lz4")
                        .readers(later)
                        .build()
                        .startWriting();
            }
        }
    }
}
