package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Studies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Whatever a user can name is in the document where it is looked for. */
class DocumentsTest {

    private static String document(String path) throws IOException {
        return Files.readString(Path.of("..").resolve(path));
    }

    @Test
    void factorsAreInTheirTableWithTheirDefaults() throws IOException {
        String studyFile = document("docs/study-file.md");
        String factors =
                studyFile.substring(studyFile.indexOf("## Factors and levels"), studyFile.indexOf("## Metrics"));
        for (Factor<?> factor : Factors.VOCABULARY.factors()) {
            assertThat(factors.lines().filter(line -> line.startsWith("| `" + factor.name() + "` |")))
                    .as(factor.name())
                    .singleElement()
                    .satisfies(row -> factor.defaultLevel()
                            .ifPresent(level -> assertThat(row).endsWith("| `" + level + "` |")));
        }
    }

    @Test
    void whatIsListedIsInItsDocument() throws IOException {
        assertThat(Layout.ALL)
                .allSatisfy(layout -> assertThat(document("docs/layouts.md"))
                        .containsAnyOf(
                                "`" + layout.id() + "`", "`" + layout.id().replaceFirst("^[a-z]+", "") + "`"));
        assertThat(Datasets.all())
                .allSatisfy(dataset -> assertThat(document("docs/datasets.md")).contains("`" + dataset.name()));
        assertThat(Codecs.all())
                .allSatisfy(codec -> assertThat(document("docs/codecs.md")).contains("`" + codec.name()));
        assertThat(Servers.kinds())
                .allSatisfy(kind -> assertThat(document("docs/servers.md"))
                        .contains("`" + kind.form().replace("…", "")));
        assertThat(Studies.describe())
                .allSatisfy(study -> assertThat(document("README.md")).contains("| `" + study.name() + "` |"));
    }

    @Test
    void commandsAndExitCodesAreInTheReadme() throws IOException {
        assertThat(new CommandLine(new Main()).getSubcommands().keySet())
                .contains("run")
                .allSatisfy(command -> assertThat(document("README.md")).contains("    ./blobmark " + command + " "));
        assertThat(ExitCode.values())
                .allSatisfy(code -> assertThat(document("README.md")).contains("\n| " + code.code() + " | "));
    }

    @Test
    void packagesOfTheLabAreInTheirTableAndUseOnlyThoseAbove() throws IOException {
        Map<String, Integer> rows = new HashMap<>();
        List<String> table = document("CONTRIBUTING.md")
                .lines()
                .dropWhile(line -> !line.startsWith("| package |"))
                .takeWhile(line -> line.startsWith("|"))
                .toList();
        for (String row : table) {
            Pattern.compile("`([a-z.]+)`")
                    .matcher(row.split("\\|")[1])
                    .results()
                    .forEach(name -> rows.put("dev.blobmark.lab." + name.group(1), table.indexOf(row)));
        }
        JavaClasses lab = new ClassFileImporter()
                .withImportOption(new DoNotIncludeTests())
                .importPackages("dev.blobmark.lab");

        assertThat(lab.stream().map(JavaClass::getPackageName).distinct()).isSubsetOf(rows.keySet());
        assertThat(lab.stream().flatMap(type -> type.getDirectDependenciesFromSelf().stream()))
                .filteredOn(use -> rows.getOrDefault(use.getTargetClass().getPackageName(), 0)
                        > rows.get(use.getOriginClass().getPackageName()))
                .isEmpty();
    }
}
