package dev.blobmark.report;

import static dev.blobmark.analysis.TestRuns.sample;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Position;
import dev.blobmark.lab.run.Sample;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunFactsTest {

    private static Sample measured(String method, int block, int fork, int round) {
        Sample s = sample(method, fork, round, new Outcome.Measured(), 100);
        return new Sample(
                s.trial(),
                new Position(block, fork, round, TestRuns.START),
                s.outcome(),
                s.remarks(),
                s.warmUp(),
                s.operations(),
                s.openLoop(),
                s.resources(),
                s.disk(),
                s.visits());
    }

    /** A study in passes has a block for each environment: three rounds in five of them are not fifteen. */
    @Test
    void roundsAreThoseOfATrial() {
        List<Sample> samples = new ArrayList<>();
        for (int block = 0; block < 5; block++) {
            for (int round = 0; round < 3; round++) {
                samples.add(measured("method " + block, block, round, round));
            }
        }
        assertThat(RunFacts.counts(samples)).isEqualTo("3 rounds, 3 forks");

        samples.add(measured("method 0", 0, 3, 3));
        assertThat(RunFacts.counts(samples)).isEqualTo("3 to 4 rounds, 3 to 4 forks");
        assertThat(RunFacts.counts(List.of())).isEqualTo("0 rounds, 0 forks");
    }
}
