package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.value.integration.PublishedApiTest.Library;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is in the jars besides classes. */
class PublishedJarsIT {

    static Stream<Library> libraries() {
        return PublishedApiTest.LIBRARIES.stream();
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void theJarHasItsModulesNameAndTheLicence(Library library) throws Exception {
        Path jar = Path.of(library.type()
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Assumptions.assumeTrue(Files.isRegularFile(jar), jar + " is no jar: run the phase verify");
        ModuleDescriptor module =
                ModuleFinder.of(jar).findAll().iterator().next().descriptor();
        try (JarFile files = new JarFile(jar.toFile())) {
            String name = module.isAutomatic()
                    ? files.getManifest().getMainAttributes().getValue("Automatic-Module-Name")
                    : module.name();
            assertThat(name).isEqualTo(library.type().getPackageName());
            for (String text : new String[] {"LICENSE", "NOTICE"}) {
                assertThat(files.getInputStream(files.getEntry("META-INF/" + text))
                                .readAllBytes())
                        .isEqualTo(Files.readAllBytes(Path.of("../..").resolve(text)));
            }
        }
    }
}
