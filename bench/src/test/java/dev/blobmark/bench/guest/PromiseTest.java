package dev.blobmark.bench.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PromiseTest {

    @Test
    void hasTheCodesOfEachStep() {
        Promise promise = Promise.of("6", "3 8", "", "0", "0 6");
        assertThat(promise.codes(Step.PREFLIGHT)).containsExactly(6);
        assertThat(promise.codes(Step.LOAD)).containsExactly(3, 8);
        assertThat(promise.codes(Step.MEASURE)).isEmpty();
    }

    @Test
    void anotherCodeOrAMessageWithoutAReasonIsAViolation() {
        assertThat(Promise.violations(Set.of(6), 6, "note\nblobmark: it is read-only: name the source\n"))
                .isEmpty();
        assertThat(Promise.violations(Set.of(6), 1, "note\nblobmark: what?\n"))
                .isEqualTo(List.of("exit code 1 instead of [6]: blobmark: what?\n"));
        assertThat(Promise.violations(Set.of(8), 8, "blobmark: over"))
                .isEqualTo(List.of("the message does not say why: blobmark: over"));
        assertThat(Promise.violations(Set.of(1), 1, "blobmark: internal error: java.lang.NullPointerException"))
                .hasSize(1);
    }

    @Test
    void cellsAreChosenByWhatTheyHaveInCommon() {
        assertThat(GuestFaults.matches("mysql/restarted/load", "mysql")).isTrue();
        assertThat(GuestFaults.matches("mysql/restarted/load/writes", "mysql/restarted/load"))
                .isTrue();
        assertThat(GuestFaults.matches("mysql/restarted/load", "//load")).isTrue();
        assertThat(GuestFaults.matches("mysql/restarted/load", "mariadb")).isFalse();
        assertThat(GuestFaults.matches("mysql/restarted/load", "mysql/restarted/load/writes"))
                .isFalse();
        assertThat(Cell.all()).extracting(Cell::id).doesNotHaveDuplicates().contains("mariadb/read-only/cleanup");
    }
}
