package dev.blobmark.bench.reencode.tokens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.bench.reencode.random.Seat;
import dev.blobmark.bench.reencode.random.Stage;
import dev.blobmark.bench.reencode.tokens.History.Found;
import dev.blobmark.bench.reencode.tokens.History.Violation;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of tokens show what is lost, and lose nothing while their values are changed. */
class TokensIT {

    private static final Path CACHE = Path.of("target", "test-cache" + System.getProperty("blobmark.test.jvm", ""))
            .toAbsolutePath();

    private static TokenList list(int... workers) {
        TokenList list = TokenList.empty(3, 4);
        for (int worker : workers) {
            list = list.append(worker);
        }
        return list;
    }

    private static TokenList tokens(int... tokens) {
        return new TokenList(3, new int[4], tokens);
    }

    @Test
    void aValueIsTheListAgain() {
        TokenList list = TokenList.empty(3, 4);
        for (int i = 0; i < 500; i++) {
            list = list.append(i % 3);

            TokenList read = TokenList.parse(list.bytes());

            assertThat(read.length()).isEqualTo(i + 1);
            assertThat(read.bytes()).isEqualTo(list.bytes());
        }
        assertThat(list.count(0)).isEqualTo(167);
        assertThat(list.count(3)).isZero();
    }

    @Test
    void bytesThatWereNotWrittenAreNoList() {
        byte[] bytes = list(1, 2).bytes();
        bytes[bytes.length - 1] ^= 1;

        assertThatThrownBy(() -> TokenList.parse(bytes)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readsThatContinueAreRight() {
        History history = new History(3);
        TokenList list = TokenList.empty(3, 4);
        for (int i = 0; i < 5_000; i++) {
            list = list.append(i % 4);

            assertThat(history.acknowledge(list)).isEmpty();
            assertThat(history.judge(list, history.acknowledged())).isEmpty();
        }
    }

    private static Optional<Violation> violation(TokenList before, TokenList read) {
        History history = new History(3);
        assertThat(history.acknowledge(before)).isEmpty();
        return history.judge(read, history.acknowledged()).map(Found::violation);
    }

    @Test
    void eachViolationIsFound() {
        TokenList before = list(0, 1, 1, 2);

        assertThat(violation(before, list(0, 1, 1))).contains(Violation.LOST);
        assertThat(violation(before, list(0, 1, 1, 3))).contains(Violation.OUT_OF_ORDER);
        assertThat(violation(before, list(1, 0, 1, 2, 2))).contains(Violation.OUT_OF_ORDER);
        assertThat(violation(before, tokens(TokenList.token(0, 0), TokenList.token(0, 0), TokenList.token(1, 0))))
                .contains(Violation.DOUBLED);
        assertThat(violation(before, tokens(TokenList.token(0, 0), TokenList.token(1, 1))))
                .contains(Violation.LOST);
        assertThat(violation(before, list(0, 1, 1, 2, 0))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingIsLostWhileValuesAreChanged(boolean isCopy) throws Exception {
        try (Stage stage = Stage.open(Seat.MARIADB_LOG, Optional.empty(), CACHE)) {
            long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);

            Run.Summary summary = new Run(stage, isCopy, 3, 60, 20_000, end, true, 1).run();

            assertThat(summary.problems()).isEmpty();
            assertThat(summary.transactions()).isGreaterThan(1_000);
            assertThat(summary.lost() + summary.doubled() + summary.outOfOrder())
                    .isZero();
        }
    }
}
