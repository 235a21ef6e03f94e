package dev.blobmark.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.plan.Processes;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.workload.Threads;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class AdviceQuestionTest {

    private static AdviceQuestion question(int threads, OptionalInt hosts) {
        return AdviceFixture.question(Goal.BALANCED, "1gbit", threads, hosts);
    }

    private static void assertProcesses(int processes, AdviceQuestion question) {
        for (Study study : List.of(Advisor.valuesStudy(question), CurveStudy.study(CurveStudy.CHECKED, question))) {
            assertThat(study.trials(Factors.VOCABULARY)).isNotEmpty().allSatisfy(trial -> {
                assertThat(trial.design().get(Threads.FACTOR)).isEqualTo(question.threads());
                assertThat(trial.design().get(Processes.FACTOR)).isEqualTo(processes);
            });
        }
    }

    @Test
    void eachHostFetchesFromAProcess() {
        assertProcesses(8, question(64, OptionalInt.of(8)));
        assertProcesses(1, question(64, OptionalInt.of(1)));
        assertProcesses(1, question(64, OptionalInt.empty()));
    }

    @Test
    void aHostNeedsAThread() {
        assertThatThrownBy(() -> question(4, OptionalInt.of(8)))
                .hasMessage(
                        "hosts is 8, but threads 4, and each process needs one; set threads to 8 or more, or hosts to"
                                + " 4");
    }
}
