package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.value.FrameException.Reason;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * This version of the library and a newer one in the same program, as during an upgrade. The newer one is compiled from
 * the same sources with the next number of the format.
 */
class TwoVersionsTest {

    private static final Path SOURCES = Path.of("src/main/java/dev/blobmark/value");
    private static final String THIS_VERSION = "VERSION = " + FrameHeader.VERSION + ";";
    private static final String NEXT_VERSION = "VERSION = " + (FrameHeader.VERSION + 1) + ";";

    private static Object newer;

    /** Loads the library from a directory, and all else as usual. */
    private static final class NewerLibrary extends URLClassLoader {

        NewerLibrary(Path classes) throws IOException {
            super(new URL[] {classes.toUri().toURL()}, NewerLibrary.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                if (!name.startsWith("dev.blobmark.value.")) {
                    return super.loadClass(name, resolve);
                }
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }
    }

    @BeforeAll
    static void compileNewer(@TempDir Path scratch) throws Exception {
        Path sources = Files.createDirectories(scratch.resolve("sources"));
        Path classes = Files.createDirectories(scratch.resolve("classes"));
        List<String> arguments = new ArrayList<>(List.of(
                "-d", classes.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none", "-nowarn"));
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                String text = Files.readString(file);
                assertThat(text.contains(THIS_VERSION)).isEqualTo(file.endsWith("FrameHeader.java"));
                Path copy = sources.resolve(file.getFileName());
                Files.writeString(copy, text.replace(THIS_VERSION, NEXT_VERSION));
                arguments.add(copy.toString());
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertThat(compiler.run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        NewerLibrary library = new NewerLibrary(classes);
        Class<?> format = library.loadClass("dev.blobmark.value.ValueFormat");
        Object builder = format.getMethod("builder").invoke(null);
        builder.getClass().getMethod("writes", String.class).invoke(builder, "zstd:3");
        newer = builder.getClass().getMethod("build").invoke(builder);
        format.getMethod("startWriting").invoke(newer);
        assertThat(format).isNotEqualTo(ValueFormat.class);
    }

    private static byte[] call(String method, byte[] bytes) throws ReflectiveOperationException {
        return (byte[]) newer.getClass().getMethod(method, byte[].class).invoke(newer, (Object) bytes);
    }

    @Test
    void theOlderOneRefusesWhatTheNewerOneEncodedAndNamesBothVersions() throws ReflectiveOperationException {
        ValueFormat older = ValueFormatTest.writing("zstd:3");
        for (int seed = 0; seed < 500; seed++) {
            byte[] value = Samples.json(seed);
            byte[] stored = call("encode", value);
            assertThat(call("decode", stored)).isEqualTo(value);
            if (stored.length == value.length) { // not worth a frame, and raw in all versions
                assertThat(older.decode(stored)).isEqualTo(value);
            } else {
                assertThatThrownBy(() -> older.decode(stored))
                        .isInstanceOfSatisfying(
                                FrameException.class,
                                e -> assertThat(e.reason()).isEqualTo(Reason.NEWER_VERSION))
                        .hasMessageContaining("was written in version 2")
                        .hasMessageContaining("this library reads version 1: use a newer one");
            }
        }
    }

    @Test
    void theNewerOneReadsWhatTheOlderOneEncoded() throws ReflectiveOperationException {
        for (String codec : List.of("zstd:3", "lz4", "deflate:6", "brotli:5", "snappy")) {
            ValueFormat older = ValueFormatTest.writing(codec);
            for (int seed = 0; seed < 100; seed++) {
                byte[] value = Samples.json(seed);
                assertThat(call("decode", older.encode(value))).isEqualTo(value);
            }
        }
    }
}
