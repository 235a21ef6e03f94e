package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a codec whose library is not there, or is not the one that it needs. */
final class AbsentCodecTest {

    private static final List<String> ENTRY_POINTS = List.of("encode", "maxEncodedLength", "maxDecodedLength");

    @ParameterizedTest
    @CsvSource({
        "zstd:3, com.github.luben:zstd-jni",
        "lz4, at.yawk.lz4:lz4-java",
        "lz4hc:9, at.yawk.lz4:lz4-java",
        "snappy, org.xerial.snappy:snappy-java",
        "brotli:6+len, com.aayushatharva.brotli4j:brotli4j",
    })
    void namesTheLibraryThatIsNotOnTheClassPath(String codec, String library) throws Exception {
        try (Application application = new Application()) {
            String message = " needs the library " + library + ", which is not on the class path";
            assertThat(application.unavailable(codec)).hasValue("codec " + codec.replaceFirst("[:+].*", "") + message);
            assertRefuses(application, codec, "codec " + codec + message);
        }
    }

    /** Those before the oldest that works, as found by trial; they are in the local repository if somebody tried. */
    @ParameterizedTest
    @CsvSource({
        "zstd:3, com.github.luben, zstd-jni, 1.5.2-4, 1.5.2-5",
        "zstd:3, com.github.luben, zstd-jni, 1.4.9-5, 1.5.2-5",
        "lz4, at.yawk.lz4, lz4-java, 1.10.4, 1.11.0",
        "lz4hc:9, at.yawk.lz4, lz4-java, 1.10.4, 1.11.0",
        "lz4, at.yawk.lz4, lz4-java, 1.9.0, 1.11.0",
        "brotli:6, com.aayushatharva.brotli4j, brotli4j, 1.22.0, 1.23.0",
    })
    void namesTheVersionThatIsFoundAndTheOneThatIsNeeded(
            String codec, String group, String artifact, String found, String needed) throws Exception {
        Path jar = jar(group, artifact, found);
        assumeTrue(Files.exists(jar), jar.getFileName() + " is not in the local Maven repository");
        String message = " needs the library " + group + ":" + artifact + " " + needed + " or later; found is "
                + artifact + " " + found + ", in " + jar.getFileName();
        try (Application application =
                new Application(jar, jar(group, "native-linux-x86_64", found), jar(group, "service", found))) {
            assertThat(application.unavailable(codec)).hasValue("codec " + codec.replaceFirst(":.*", "") + message);
            assertRefuses(application, codec, "codec " + codec + message);
        }
    }

    @ParameterizedTest
    @CsvSource({"zstd:3, com.github.luben, zstd-jni, 1.5.2-5", "lz4, at.yawk.lz4, lz4-java, 1.11.0"})
    void theOldestVersionWorks(String codec, String group, String artifact, String version) throws Exception {
        assertThat(Stream.of(CodecLibrary.values()).map(CodecLibrary::minimum)).contains(version);
        Path jar = jar(group, artifact, version);
        assumeTrue(Files.exists(jar), jar.getFileName() + " is not in the local Maven repository");
        try (Application application = new Application(jar)) {
            assertThat(application.unavailable(codec)).isEmpty();
            assertThat(application.library(codec)).contains(version);
        }
    }

    @Test
    void theLibrariesOfTheBuildWork() {
        for (CodecLibrary library : CodecLibrary.values()) {
            assertThat(library.failure()).as(library.name()).isEmpty();
        }
        assertThat(CodecLibrary.BROTLI.refusal("codec brotli", new UnsatisfiedLinkError("no brotli here")))
                .hasMessageStartingWith("codec brotli does not work on this platform: ")
                .hasMessageContaining("no brotli here")
                .hasMessageContaining("found is brotli4j ");
    }

    private static void assertRefuses(Application application, String codec, String message) {
        for (String entryPoint : ENTRY_POINTS) {
            assertThatThrownBy(() -> application.call(codec, entryPoint))
                    .as(entryPoint)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessage(message);
        }
    }

    private static Path jar(String group, String artifact, String version) {
        return Path.of(System.getProperty("maven.repo.local", System.getProperty("user.home") + "/.m2/repository"))
                .resolve(group.replace('.', '/'))
                .resolve(artifact)
                .resolve(version)
                .resolve(artifact + "-" + version + ".jar");
    }

    /** The codecs with some libraries on a class path of their own. */
    private static final class Application implements AutoCloseable {
        private final URLClassLoader loader;

        Application(Path... libraries) throws IOException {
            URL[] path = new URL[libraries.length + 1];
            path[0] = Codec.class.getProtectionDomain().getCodeSource().getLocation();
            for (int i = 0; i < libraries.length; i++)
                path[i + 1] = libraries[i].toUri().toURL();
            loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader());
        }

        Optional<String> unavailable(String codec) throws ReflectiveOperationException {
            Object family = family(codec);
            Optional<?> reason =
                    (Optional<?>) family.getClass().getMethod("unavailable").invoke(family);
            return reason.map(String.class::cast);
        }

        String library(String codec) throws ReflectiveOperationException {
            Object family = family(codec);
            return (String) family.getClass().getMethod("library").invoke(family);
        }

        private Object family(String codec) throws ReflectiveOperationException {
            return codecs().getMethod("family", codecType()).invoke(null, parse(codec));
        }

        void call(String codec, String method) throws Throwable {
            Object made = parse(codec);
            byte[] bytes = new byte[10];
            try {
                if (method.equals("encode")) {
                    codecType()
                            .getMethod(method, byte[].class, int.class, int.class, byte[].class, int.class)
                            .invoke(made, bytes, 0, 1, bytes, 0);
                } else {
                    codecType().getMethod(method, int.class).invoke(made, 1);
                }
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        private Object parse(String codec) throws ReflectiveOperationException {
            return codecs().getMethod("parse", String.class).invoke(null, codec);
        }

        private Class<?> codecs() throws ClassNotFoundException {
            return loader.loadClass(Codecs.class.getName());
        }

        private Class<?> codecType() throws ClassNotFoundException {
            return loader.loadClass(Codec.class.getName());
        }

        @Override
        public void close() throws IOException {
            loader.close();
        }
    }
}
