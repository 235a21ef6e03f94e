package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.study.Claim;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyDescription;
import dev.blobmark.lab.study.Trial;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The built-in studies, in the words that a study can use. */
class StudiesTest {

    static List<String> names() {
        return Studies.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void idsOfTheFirstProfileAreSealed(String name) throws IOException {
        String ids = trials(name, "").stream()
                .map(trial -> trial.method() + " " + trial.id())
                .collect(Collectors.joining("\n", "", "\n"));

        assertThat(ids).isEqualTo(resource(name + "-quick.trials"));
    }

    @ParameterizedTest
    @MethodSource("names")
    void everyProfileCanBeRead(String name) {
        StudyDescription description = description(name);

        assertThat(description.profiles()).startsWith("quick").contains("full");
        assertThat(description.question()).endsWith("?");
        assertThat(description.source()).isNotEmpty();
        for (String profile : description.profiles()) {
            assertThat(trials(name, profile)).isNotEmpty();
        }
    }

    /** All studies with published claims. There are none about a user's own values. */
    static List<String> claiming() {
        return names().stream().filter(name -> !name.equals(Studies.OWN_DATA)).toList();
    }

    @ParameterizedTest
    @MethodSource("claiming")
    void aProfileMeasuresAllThatAClaimNames(String name) {
        List<Claim> claims = study(name, "claims").claims();

        List<List<Trial>> profiles = description(name).profiles().stream()
                .map(profile -> trials(name, profile))
                .toList();
        assertThat(claims).isNotEmpty().isEqualTo(study(name, "").claims());
        assertThat(claims).allSatisfy(claim -> {
            assertThat(claim.source()).isNotEmpty();
            assertThat(profiles)
                    .anyMatch(trials -> unmet(
                                    claim,
                                    trials.stream()
                                            .filter(trial -> claim.where().accepts(trial.method(), trial.levels()))
                                            .toList())
                            .isEmpty());
        });
    }

    /** What a claim names that none of some trials has; that there are none is said too. */
    private static List<String> unmet(Claim claim, List<Trial> its) {
        if (its.isEmpty()) {
            return List.of("any trial");
        }
        return Stream.of(
                        Stream.of(claim.where()),
                        claim.relation().sides().stream().flatMap(sides -> Stream.of(sides.left(), sides.right())),
                        claim.effect().stream().flatMap(effect -> Stream.of(effect.of(), effect.to())))
                .flatMap(selections -> selections)
                .flatMap(selection -> selection.unmet(its).stream())
                .toList();
    }

    @Test
    void theCompressionStudyHasThePostsTableAndAllLayoutsForValues() {
        List<Trial> quick = trials("innodb-compression", "");

        assertThat(methods(quick, "char(8)"))
                .containsExactlyInAnyOrder("dynamic", "compressed-1", "compressed-4", "compressed-8");
        assertThat(methods(trials("innodb-compression", "full"), "char(8)")).hasSize(10);
        assertThat(quick)
                .filteredOn(trial -> trial.levels().find("size").equals(Optional.of("1KB")))
                .filteredOn(trial -> trial.levels().find("workload").equals(Optional.of("fetch")))
                .extracting(Trial::method)
                .containsExactlyElementsOf(study("innodb-compression", "").methods().stream()
                        .map(method -> method.id())
                        .toList());
        assertThat(quick)
                .filteredOn(trial -> trial.method().equals("varbinary"))
                .extracting(trial -> trial.levels().find("size").orElseThrow())
                .containsExactly("1KB");
    }

    @Test
    void aColumnThatABlockStatesIsACondition() {
        assertThat(trials("innodb-compression", "")).allSatisfy(trial -> {
            Levels home =
                    trial.levels().find("size").equals(Optional.of("8")) ? trial.condition() : trial.methodLevels();
            assertThat(home.find("column")).isPresent();
        });
    }

    private static Set<String> methods(List<Trial> trials, String column) {
        return trials.stream()
                .filter(trial -> trial.levels().find("column").equals(Optional.of(column)))
                .map(Trial::method)
                .collect(Collectors.toSet());
    }

    private static StudyDescription description(String name) {
        return Studies.describe().stream()
                .filter(study -> study.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The first profile, if that is empty. */
    private static Study study(String name, String profile) {
        return Studies.read(name, Factors.VOCABULARY, Optional.of(profile).filter(p -> !p.isEmpty()));
    }

    private static List<Trial> trials(String name, String profile) {
        return study(name, profile).trials(Factors.VOCABULARY);
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = StudiesTest.class.getResourceAsStream("/dev/blobmark/lab/study/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
