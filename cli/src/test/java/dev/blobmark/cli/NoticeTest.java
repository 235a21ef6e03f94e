package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What a running Blobmark has on its class path is named in NOTICE with its licence, and its version has been reviewed.
 */
class NoticeTest {

    /** A library in a local repository of Maven: group, artefact, version. */
    record Library(String path, String artifact, String version) {

        private static final Pattern PATH = Pattern.compile(".*/([^/]+)/([^/]+)/\\1-\\2[^/]*\\.jar");

        static Stream<Library> of(String path) {
            Matcher parts = PATH.matcher(path.replace(File.separatorChar, '/'));
            return parts.matches()
                    ? Stream.of(new Library(parts.group(), parts.group(1), parts.group(2)))
                    : Stream.empty();
        }

        /** @param coordinates {@code group:artifact}; the artefact may end in {@code *} */
        boolean is(String coordinates) {
            String directory =
                    "/" + coordinates.substring(0, coordinates.indexOf(':')).replace('.', '/') + "/";
            String name = coordinates.substring(coordinates.indexOf(':') + 1);
            return path.contains(directory + artifact + "/" + version + "/")
                    && (name.endsWith("*")
                            ? artifact.startsWith(name.substring(0, name.length() - 1))
                            : artifact.equals(name));
        }
    }

    /** Written by the build before tests are run. */
    static List<Library> classPath() throws IOException, URISyntaxException {
        Path tests = Path.of(NoticeTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        String entries = Files.readString(tests.resolveSibling("runtime-classpath"));
        return Stream.of(entries.strip().split(File.pathSeparator))
                .filter(entry -> !entry.contains("blobmark-"))
                .flatMap(Library::of)
                .toList();
    }

    private static List<String> named() throws IOException {
        return Pattern.compile("^ {4}([\\w.-]+:[\\w.*-]+)", Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("..", "NOTICE")))
                .results()
                .map(line -> line.group(1))
                .toList();
    }

    @Test
    void everyLibraryIsNamedWithItsLicence() throws Exception {
        List<String> named = named();
        assertThat(classPath())
                .hasSizeGreaterThan(50)
                .allSatisfy(library -> assertThat(named)
                        .as("NOTICE has no line for %s; its licence is in its POM", library.path)
                        .anyMatch(library::is));
    }

    @Test
    void everyNameIsOfALibrary() throws Exception {
        List<Library> classPath = classPath();
        assertThat(named())
                .doesNotHaveDuplicates()
                .filteredOn(name -> !name.endsWith("*")) // other platforms have other ones
                .allSatisfy(name -> assertThat(classPath)
                        .as("NOTICE names %s, which is not on the class path any more", name)
                        .anyMatch(library -> library.is(name)));
    }
}
