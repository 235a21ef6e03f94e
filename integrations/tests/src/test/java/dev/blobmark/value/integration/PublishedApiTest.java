package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.Codec;
import dev.blobmark.value.ValueFormat;
import dev.blobmark.value.jdbi.ValuePlugin;
import dev.blobmark.value.jooq.ValueBinding;
import dev.blobmark.value.jpa.ValueType;
import dev.blobmark.value.micrometer.MeteredValues;
import dev.blobmark.value.mybatis.ValueTypeHandler;
import dev.blobmark.value.spring.ValueTypeConverter;
import dev.blobmark.value.springboot.ValueAutoConfiguration;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What users of the published libraries depend on: their APIs, and the versions that go together. */
class PublishedApiTest {

    private static final Path ROOT = Path.of("../..");

    /**
     * A library.
     *
     * @param module its directory
     * @param type one of its package
     */
    record Library(String module, Class<?> type) {

        Path recorded() {
            return ROOT.resolve(module)
                    .resolve("src/test/resources")
                    .resolve(type.getPackageName().replace('.', '/'))
                    .resolve("api.txt");
        }

        String artifact() {
            return "blobmark-" + module.replace("integrations/", "value-");
        }

        @Override
        public String toString() {
            return artifact();
        }
    }

    static final List<Library> LIBRARIES = List.of(
            new Library("codec", Codec.class),
            new Library("value", ValueFormat.class),
            new Library("integrations/jpa", ValueType.class),
            new Library("integrations/jooq", ValueBinding.class),
            new Library("integrations/mybatis", ValueTypeHandler.class),
            new Library("integrations/spring", ValueTypeConverter.class),
            new Library("integrations/jdbi", ValuePlugin.class),
            new Library("integrations/micrometer", MeteredValues.class),
            new Library("integrations/spring-boot", ValueAutoConfiguration.class));

    /**
     * A change of an API is seen in review, as a change of its list: a removed line breaks users, an added one is a
     * promise. {@code -Dblobmark.golden=true} writes it again.
     */
    @ParameterizedTest
    @FieldSource("LIBRARIES")
    void theApiIsTheRecordedOne(Library library) throws Exception {
        List<String> api = api(library.type());
        assertThat(api).hasSizeGreaterThan(2);
        if (Boolean.getBoolean("blobmark.golden")) {
            Files.createDirectories(library.recorded().getParent());
            Files.write(library.recorded(), api);
        }
        assertThat(api).isEqualTo(Files.readAllLines(library.recorded()));
    }

    private static List<String> api(Class<?> of) throws Exception {
        Path classes =
                Path.of(of.getProtectionDomain().getCodeSource().getLocation().toURI());
        String name = of.getPackageName();
        return Files.isDirectory(classes)
                ? api(classes.resolve(name.replace('.', '/')), name, of)
                : inJar(classes, name, of);
    }

    private static List<String> inJar(Path jar, String name, Class<?> of) throws IOException {
        try (FileSystem files = FileSystems.newFileSystem(jar)) {
            return api(files.getPath(name.replace('.', '/')), name, of);
        }
    }

    private static List<String> api(Path directory, String packageName, Class<?> of) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".class") && !name.equals("package-info.class"))
                    .map(name -> type(packageName + "." + name.replace(".class", ""), of.getClassLoader()))
                    .filter(type -> isApi(type.getModifiers()))
                    .flatMap(PublishedApiTest::lines)
                    .sorted()
                    .toList();
        }
    }

    private static Class<?> type(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
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

    private static Stream<String> found(String pattern, Path file) throws IOException {
        return Pattern.compile(pattern)
                .matcher(Files.readString(file))
                .results()
                .map(match -> match.group(1));
    }

    @Test
    void librariesOfCodecsAreInTheDocumentWithTheirVersions() throws IOException {
        String root = Files.readString(ROOT.resolve("pom.xml"));
        String document = Files.readString(ROOT.resolve("docs/codecs.md"));
        assertThat(found("<artifactId>(.*)</artifactId><optional>", ROOT.resolve("codec/pom.xml")))
                .hasSize(4)
                .allSatisfy(artifact -> {
                    String version =
                            first("<artifactId>" + artifact + "</artifactId><version>\\$\\{(.*)}</version>", root);
                    assertThat(document)
                            .contains(":" + artifact + "` | " + first("<" + version + ">(.*)</" + version + ">", root)
                                    + " |");
                });
    }

    private static String first(String pattern, String in) {
        return Pattern.compile(pattern)
                .matcher(in)
                .results()
                .map(match -> match.group(1))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theBomHasAllLibrariesAndTheVersionOfTheProject() throws IOException {
        Path bom = ROOT.resolve("bom/pom.xml");
        assertThat(found("<artifactId>(blobmark-[a-z-]+)</artifactId><version>\\$\\{project.version}", bom))
                .containsExactlyElementsOf(
                        LIBRARIES.stream().map(Library::artifact).toList());
        assertThat(found("\n  <version>(.*)</version>", bom))
                .containsExactlyElementsOf(found("\n  <version>(.*)</version>", ROOT.resolve("pom.xml"))
                        .toList());
        assertThat(found("<module>(.*)</module>", ROOT.resolve("integrations/pom.xml"))
                        .filter(module -> !module.startsWith("tests")))
                .allSatisfy(module ->
                        assertThat(LIBRARIES).extracting(Library::module).contains("integrations/" + module));
    }
}
