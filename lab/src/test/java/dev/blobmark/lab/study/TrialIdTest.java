package dev.blobmark.lab.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrialIdTest {

    private static final List<String> METHODS = List.of(
            "  plain: {}",
            "  gzip: {codec: gzip, driver: mariadb}",
            "  server: {decode: server, codec: mysql}",
            "  table: {layout: compressed, statement: text}");
    private static final List<String> BLOCKS = List.of(
            "  - {workload: [fetch, insert], dataset: [sites, 'random:2'], size: [1KB, 64KB], tls: [on, off]}",
            "  - {workload: codec, dataset: [sites, 'dir:/x'], size: [1KB, 64KB], threads: [1, 8]}");

    private final Vocabulary vocabulary = TestVocabulary.get();

    @ParameterizedTest
    @ValueSource(strings = {"quick", "full"})
    void idsAreUnique(String profile) {
        Study study = Studies.read("blob-fetch", vocabulary, Optional.of(profile));

        assertThat(study.trials(vocabulary)).extracting(Trial::id).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void idsDoNotDependOnTheOrderOfKeys(long seed) {
        Random random = new Random(seed);

        assertThat(ids(shuffled(METHODS, random), shuffled(BLOCKS, random), vocabulary))
                .isEqualTo(ids(METHODS, BLOCKS, vocabulary))
                .hasSize(4 * 16 + 3 * 2 * 3);
    }

    @Test
    void aFactorAddedWithADefaultChangesNoId() {
        Factor<String> isolation = TestVocabulary.words(
                "isolation", Factor.Home.CONDITION, "repeatable-read", "repeatable-read", "read-committed");
        Vocabulary later = TestVocabulary.with(isolation);

        assertThat(ids(METHODS, BLOCKS, later)).isEqualTo(ids(METHODS, BLOCKS, vocabulary));
        assertThat(read(METHODS, BLOCKS, later).trials(later))
                .anySatisfy(
                        trial -> assertThat(trial.levels().find("isolation")).hasValue("repeatable-read"));

        List<String> stated = BLOCKS.stream()
                .map(block -> block.replace("}", ", isolation: read-committed}"))
                .toList();
        assertThat(ids(METHODS, stated, later))
                .allSatisfy(id ->
                        assertThat(id.contains("isolation=read-committed")).isEqualTo(!id.contains("workload=codec")));
    }

    @Test
    void aLevelStatedLikeTheDefaultIsTheSameTrial() {
        List<String> stated = BLOCKS.stream()
                .map(block -> block.replace("}", ", link: loopback}"))
                .toList();

        assertThat(ids(METHODS, stated, vocabulary)).isEqualTo(ids(METHODS, BLOCKS, vocabulary));
    }

    private TreeSet<String> ids(List<String> methods, List<String> blocks, Vocabulary vocabulary) {
        return read(methods, blocks, vocabulary).trials(vocabulary).stream()
                .map(Trial::id)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Study read(List<String> methods, List<String> blocks, Vocabulary vocabulary) {
        String text = "schedule: {rounds: 1, forks: 1, window: 1s, warm-up: 0s, seed: 1}\nmethods:\n"
                + String.join("\n", methods) + "\nconditions:\n" + String.join("\n", blocks)
                + "\nstudy: order\nmetric: throughput\nbaseline: plain\n";
        return new StudyReader(vocabulary).read(text, "order.yaml", Optional.empty());
    }

    /** The lines in another order, and the entries within their braces as well. */
    private static List<String> shuffled(List<String> lines, Random random) {
        List<String> shuffled = new ArrayList<>();
        for (String line : lines) {
            int open = line.indexOf('{');
            List<String> entries = new ArrayList<>(
                    List.of(line.substring(open + 1, line.length() - 1).split(", (?=[a-z-]+:)")));
            Collections.shuffle(entries, random);
            shuffled.add(line.substring(0, open + 1) + String.join(", ", entries) + "}");
        }
        Collections.shuffle(shuffled, random);
        return shuffled;
    }
}
