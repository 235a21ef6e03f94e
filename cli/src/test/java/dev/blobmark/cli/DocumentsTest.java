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
import dev.blobmark.lab.study.Claim;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Studies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
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

    /** Each claim of a text is at the statement that it tests, and what a statement names as a claim is one. */
    @Test
    void statementsOfTheStudiesHaveTheirClaims() throws IOException {
        List<String> rows = document("docs/published.md")
                .lines()
                .filter(line -> line.matches("\\| \\d+\\.\\d+ \\|.*"))
                .toList();
        List<String> numbers =
                rows.stream().map(row -> row.split(" \\| |\\| ")[1].strip()).toList();
        List<String> expected = new ArrayList<>();
        Map<String, Integer> last = new HashMap<>();
        numbers.forEach(number ->
                expected.add(number.split("\\.")[0] + "." + last.merge(number.split("\\.")[0], 1, Integer::sum)));
        assertThat(numbers).isEqualTo(expected);
        assertThat(rows).allSatisfy(row -> assertThat(row).matches(".* \\| (as said|near|not here) \\|"));

        Set<String> named = rows.stream()
                .flatMap(row ->
                        Pattern.compile("`([a-z0-9][a-z0-9-]*)`").matcher(row).results())
                .map(word -> word.group(1))
                .collect(Collectors.toSet());
        Set<String> claimed = new HashSet<>();
        for (String study :
                List.of("blob-fetch", "set-membership", "ndb-blob", "innodb-compression", "innodb-inline")) {
            for (Claim claim :
                    Studies.read(study, Factors.VOCABULARY, Optional.empty()).claims()) {
                claimed.add(claim.id());
                if (!claim.source().equals("Blobmark's own")) {
                    assertThat(named).as("docs/published.md").contains(claim.id());
                }
                assertThat(document("docs/claims.md")).contains("| `" + claim.id() + "` |");
            }
        }
        assertThat(named.stream().filter(word -> word.split("-").length > 3 && !word.startsWith("ndb-")))
                .isSubsetOf(claimed);
    }

    @Test
    void documentsAreInTheNavigationOfTheSite() throws IOException {
        List<String> navigation = document("site/navigation.md").lines().toList();
        try (Stream<Path> files = Files.list(Path.of("../docs"))) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".md") && !name.equals("README.md"))
                            .map(name -> "docs/" + name.substring(0, name.length() - ".md".length())))
                    .isSubsetOf(navigation);
        }
    }

    @Test
    void commandsAndExitCodesAreDocumented() throws IOException {
        assertThat(new CommandLine(new Main()).getSubcommands().keySet())
                .contains("run")
                .allSatisfy(command ->
                        assertThat(document("docs/commands.md")).contains("    ./blobmark " + command + " "));
        assertThat(ExitCode.values())
                .allSatisfy(code -> assertThat(document("docs/commands.md")).contains("\n| " + code.code() + " | "));
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

    /** Of the profiles quick and full in the table of studies, and of those in the text below it. */
    private static Map<String, String> statedTimes() throws IOException {
        String studies = document("README.md");
        studies = studies.substring(studies.indexOf("## The studies"), studies.indexOf("## Folders"));
        Map<String, String> times = new HashMap<>();
        Pattern.compile("(?m)^\\| `([a-z-]+)` \\| [^|]+ \\| ([0-9]+ [a-z]+) \\| ([0-9]+ [a-z]+) \\|")
                .matcher(studies)
                .results()
                .forEach(row -> {
                    times.put(row.group(1) + " quick", row.group(2));
                    times.put(row.group(1) + " full", row.group(3));
                });
        Pattern.compile("`--profile ([a-z]+)` (?:takes|about) ([0-9]+\\s[a-z]+)")
                .matcher(studies)
                .results()
                .forEach(each ->
                        times.put("blob-fetch " + each.group(1), each.group(2).replaceAll("\\s", " ")));
        return times;
    }

    /**
     * Compares the time to measure, which does not depend on this machine as the time to encode values does. Full
     * profiles are left out: making their values takes a minute.
     */
    @Test
    @Tag("long")
    void timesInTheReadmeAreAsEstimated() throws IOException {
        Map<String, String> times = statedTimes();
        assertThat(times).hasSize(2 * Studies.describe().size() + 2);
        times.keySet().removeIf(profile -> profile.endsWith(" full"));
        times.forEach((profile, time) -> {
            String[] words = profile.split(" ");
            List<String> args = new ArrayList<>(List.of("run", words[0], "--profile", words[1], "--dry-run"));
            if (words[0].equals(Studies.OWN_DATA)) {
                args.addAll(List.of("--data", "../docs"));
            }
            if (words[0].startsWith("ndb")) {
                args.addAll(List.of("--server", "ndb:/not/started"));
            }
            String plan = Invocation.of(args.toArray(String[]::new)).out();
            Matcher estimate = Pattern.compile("\nTime: .* to prepare, (.+) to measure\\)\n")
                    .matcher(plan);
            assertThat(estimate.find()).as(plan).isTrue();
            assertThat(seconds(time) / seconds(estimate.group(1)))
                    .as(profile + ": " + estimate.group(1) + " of measuring")
                    .isBetween(0.66, 1.5);
        });
    }

    /** {@code 3 min 20 s}. */
    private static double seconds(String time) {
        Map<String, Integer> units = Map.of("s", 1, "min", 60, "h", 3600);
        return Pattern.compile("([0-9]+) (s|min|h)")
                .matcher(time)
                .results()
                .mapToDouble(part -> Integer.parseInt(part.group(1)) * units.get(part.group(2)))
                .sum();
    }
}
