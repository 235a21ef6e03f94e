package dev.blobmark.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.blobmark.analysis.Published.Likeness;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.study.Selection;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.StudyDescription;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Ratios;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PublishedTest {

    /** Each published figure has a method and a condition that the profile published, or another one, measures. */
    @Test
    void everyFigureCanBeMeasured() {
        List<NamedCsvRecord> lines = Published.lines();
        assertThat(lines).hasSizeGreaterThan(100);
        for (StudyDescription study : Studies.describe()) {
            List<Trial> trials = study.profiles().stream()
                    .filter(profile -> !profile.equals("full"))
                    .flatMap(
                            profile -> Studies.read(study.name(), Factors.VOCABULARY, Optional.of(profile))
                                    .trials(Factors.VOCABULARY)
                                    .stream())
                    .toList();
            assertThat(lines)
                    .filteredOn(line -> line.getField("study").equals(study.name()))
                    .allSatisfy(line -> {
                        Selection condition = Published.selection(line.getField("condition"));
                        assertThat(List.of(line.getField("method"), line.getField("base")))
                                .allSatisfy(method -> assertThat(trials)
                                        .anyMatch(trial -> trial.method().equals(method)
                                                && condition.accepts(trial.method(), trial.levels())));
                        assertThat(Metric.find(line.getField("metric"))).isPresent();
                        assertThat(Double.parseDouble(line.getField("published")))
                                .isPositive();
                        assertThat(Double.parseDouble(line.getField("error_percent")))
                                .isBetween(0.0, 15.0);
                    });
        }
        assertThat(lines.stream().map(line -> line.getField("study")).distinct())
                .containsExactlyInAnyOrder("blob-fetch", "set-membership", "ndb-blob", "innodb-compression");
    }

    /** Ours is 1.2 times, a little more or less in each fork. */
    @ParameterizedTest
    @CsvSource({"1.2, 0, ALIKE", "1.3, 0.05, ALIKE", "1.4, 0.05, LOWER", "1.0, 0.05, HIGHER", "1.0, 0, HIGHER"})
    void oursIsComparedWithinTheErrorOfReading(double published, double error, Likeness likeness) {
        List<Figure> ours = new ArrayList<>();
        List<Figure> base = new ArrayList<>();
        for (int fork = 0; fork < 5; fork++) {
            ours.add(new Figure(0, fork, fork, 120 + fork % 2));
            base.add(new Figure(0, fork, fork, 100 + fork % 2));
        }
        Effect effect = Effect.of(Ratios.byRound(ours, base), Confidence.USUAL);

        assertThat(new Published.PublishedMethod(
                                "lz4",
                                published,
                                error,
                                OptionalDouble.of(published),
                                OptionalDouble.of(120),
                                Optional.of(effect))
                        .likeness())
                .isEqualTo(likeness);
    }
}
