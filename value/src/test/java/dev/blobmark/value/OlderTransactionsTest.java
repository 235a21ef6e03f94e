package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.value.OpenTransactions.Open;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which transactions a deletion waits for, by two lists of the server. */
class OlderTransactionsTest {

    private static final List<Open> FIRST = List.of(
            new Open("of connection 9 since 2026-10-25 02:10:00", "2026-10-25 02:10:00", true, false),
            new Open("of connection 5 since 2026-10-25 02:59:59", "2026-10-25 02:59:59", false, false));

    @Test
    void thoseOfTheFirstList() {
        assertThat(OpenTransactions.older(FIRST, FIRST)).containsExactly("of connection 5 since 2026-10-25 02:59:59");
    }

    /** Its name and its time are others after a restart, or when the local time is set back. */
    @Test
    void whatIsPreparedAndOfNobody() {
        List<Open> now =
                List.of(new Open("prepared, 77 since 2026-10-25 02:59:59", "2026-10-25 02:59:59", false, true));

        assertThat(OpenTransactions.older(FIRST, now)).containsExactly("prepared, 77 since 2026-10-25 02:59:59");
    }

    @Test
    void notThoseThatHaveBegunLater() {
        List<Open> now =
                List.of(new Open("of connection 6 since 2026-10-25 02:10:01", "2026-10-25 02:10:01", false, false));

        assertThat(OpenTransactions.older(FIRST, now)).isEmpty();
    }
}
