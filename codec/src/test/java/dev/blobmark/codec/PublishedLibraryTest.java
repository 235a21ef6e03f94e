package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.example.CompressValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Executable;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What users of the library depend on: its API, and the example in its document. */
class PublishedLibraryTest {

    private static final Path API = Path.of("src/test/resources/dev/blobmark/codec/api.txt");

    /**
     * A change of the API is seen in review, as a change of the list: a removed line breaks users, an added one is a
     * promise. {@code -Dblobmark.golden=true} writes it again.
     */
    @Test
    void theApiIsTheRecordedOne() throws Exception {
        List<String> api = api();
        if (Boolean.getBoolean("blobmark.golden")) {
            Files.write(API, api);
        }
        assertThat(api).isEqualTo(Files.readAllLines(API));
    }

    private static List<String> api() throws Exception {
        Path classes = Path.of(
                Codec.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.list(classes.resolve("dev/blobmark/codec"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".class") && !name.equals("package-info.class"))
                    .map(name -> type("dev.blobmark.codec." + name.replace(".class", "")))
                    .filter(type -> isApi(type.getModifiers()))
                    .flatMap(PublishedLibraryTest::lines)
                    .sorted()
                    .toList();
        }
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName(name, false, Codec.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static Stream<String> lines(Class<?> type) {
        Stream<Member> members = Stream.of(
                        type.getDeclaredMethods(), type.getDeclaredConstructors(), type.getDeclaredFields())
                .flatMap(Stream::of);
        return Stream.concat(
                Stream.of(type.toGenericString()),
                members.filter(member -> isApi(member.getModifiers()) && !member.isSynthetic())
                        .map(member -> member instanceof Executable code ? code.toGenericString() : member.toString()));
    }

    private static boolean isApi(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    @Test
    void theExampleOfTheDocumentRuns() throws IOException {
        String source = Files.readString(Path.of("src/test/java/dev/blobmark/codec/example/CompressValue.java"));
        String document = Files.readString(Path.of("../docs/codecs.md"));
        assertThat(document).contains("```java\n" + source + "```\n");

        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            CompressValue.main(new String[0]);
        } finally {
            System.setOut(out);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8).strip())
                .isEqualTo("zstd:3: 1050 bytes in less than 100: true, the same again: true");
    }
}
