package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.plan.StoreDesign;
import dev.blobmark.lab.study.Adjustment;
import dev.blobmark.lab.study.Adjustments;
import dev.blobmark.lab.study.Control;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyException;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.lab.study.Trial;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ControlTest {

    private static final Study STUDY = Studies.read("blob-fetch", Factors.VOCABULARY, Optional.of("claims"));

    private static final String YAML = """
            study: tiny
            metric: throughput
            baseline: plain
            control: %s
            methods: {plain: {codec: none}, %s: {codec: zstd}}
            conditions:
              - {workload: fetch, dataset: sites, size: 4KB, tls: off}
            schedule: {rounds: 1, forks: 1, window: 1s, warm-up: 0s, seed: 1}
            """;

    @Test
    void everyConditionHasATwinOfTheBaselineUnderAnIdOfItsOwn() {
        List<Trial> without = STUDY.trials(Factors.VOCABULARY);
        List<Trial> with = adjust("--control").trials(Factors.VOCABULARY);
        List<Trial> added = with.stream().filter(t -> !without.contains(t)).toList();

        assertThat(with).containsAll(without).extracting(Trial::id).doesNotHaveDuplicates();
        assertThat(added)
                .extracting(Trial::condition)
                .containsExactlyInAnyOrderElementsOf(
                        without.stream().map(Trial::condition).distinct().toList());
        Map<Levels, Trial> baselines = without.stream()
                .filter(t -> t.method().equals(STUDY.baseline()))
                .collect(Collectors.toMap(Trial::condition, t -> t));
        assertThat(added).allSatisfy(twin -> {
            Trial baseline = baselines.get(twin.condition());
            assertThat(twin.method()).isEqualTo(Control.ID);
            assertThat(twin.id()).contains("control=on");
            assertThat(twin.methodLevels().only(factor -> !factor.equals("control")))
                    .isEqualTo(baseline.methodLevels());
            assertThat(StoreDesign.isUsedBy(twin)).isEqualTo(StoreDesign.isUsedBy(baseline));
            assertThat(StoreDesign.of(twin)).isEqualTo(StoreDesign.of(baseline));
        });
        assertThat(added.stream().map(t -> t.levels().find("workload").orElseThrow()))
                .contains("fetch", "codec");
    }

    @Test
    void itStaysTheTwinOfTheBaselineWhateverElseIsAsked() {
        Study kept = adjust("--control", "--methods=gzip");
        assertThat(kept.methods()).extracting(Method::id).containsExactly("uncompressed", "gzip", "control");

        Study crossed = adjust("--set=driver=mariadb,connector-j", "--control", "--methods=gzip");
        assertThat(crossed.methods())
                .extracting(Method::id)
                .containsExactly(
                        "uncompressed@driver=mariadb",
                        "uncompressed@driver=connector-j",
                        "gzip@driver=mariadb",
                        "gzip@driver=connector-j",
                        "control");
        assertThat(crossed.methods().get(4).levels().find("driver")).contains("mariadb");
    }

    @Test
    void aStudyMayAskForItItself() {
        Study study = read(YAML.formatted("true", "packed"));
        assertThat(study.control()).contains("control");
        assertThat(study.methods()).extracting(Method::id).containsExactly("plain", "packed", "control");
        assertThat(study.trials(Factors.VOCABULARY))
                .extracting(Trial::id)
                .contains("control=on,dataset=sites,size=4KB");
        assertThat(Adjustments.apply(study, List.of(), Factors.VOCABULARY).study())
                .isEqualTo(study);
        assertThat(Adjustments.apply(study, List.of(new Adjustment("--set", "codec=gzip")), Factors.VOCABULARY)
                        .study()
                        .methods())
                .extracting(Method::id)
                .containsExactly("plain", "control");
        assertThat(read(YAML.formatted("false", "packed")).control()).isEmpty();
        assertThat(read(YAML.formatted("false", "control")).control()).isEmpty();
    }

    @Test
    void itsNameMustBeFree() {
        assertThatThrownBy(() -> read(YAML.formatted("true", "control")))
                .isInstanceOf(StudyException.class)
                .hasMessage("tiny.yaml:5:33: the method's name 'control' is reserved for the copy of the baseline;"
                        + " rename the method, or remove 'control: true'");
        Study taken = read(YAML.formatted("false", "control"));
        assertThatThrownBy(() ->
                        Adjustments.apply(taken, List.of(new Adjustment("--control", "true")), Factors.VOCABULARY))
                .isInstanceOf(StudyException.class)
                .hasMessage("--control: the study already has a method 'control'; rename that method in the study");
    }

    @Test
    void itIsNoFactorThatAStudyCouldState() {
        assertThatThrownBy(() -> read(YAML.formatted("perhaps", "packed")))
                .isInstanceOf(StudyException.class)
                .hasMessage(
                        "tiny.yaml:4:10: 'perhaps' is neither true nor false; write 'control: true' to add a copy of"
                                + " the baseline");
        assertThatThrownBy(() -> read(YAML.formatted("false", "packed").replace("zstd", "zstd, control: on")))
                .isInstanceOf(StudyException.class)
                .hasMessageContaining("unknown factor 'control' in method 'packed'");
        assertThatThrownBy(() -> adjust("--set=control=on")).hasMessageContaining("unknown factor 'control'");
    }

    private static Study adjust(String... options) {
        return Adjustments.apply(
                        STUDY,
                        Stream.of(options)
                                .map(option -> option.split("=", 2))
                                .map(parts -> new Adjustment(parts[0], parts.length > 1 ? parts[1] : "true"))
                                .toList(),
                        Factors.VOCABULARY)
                .study();
    }

    private static Study read(String yaml) {
        return new StudyReader(Factors.VOCABULARY).read(yaml, "tiny.yaml", Optional.empty());
    }
}
