package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.dataset.TableColumn;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors of the server that have a reason for people. */
class FailuresTest {

    @ParameterizedTest
    @ValueSource(ints = {1146, 1054, 1366, 1406, 1412})
    void aTableThatOthersChanged(int code) {
        SQLException error = new SQLException("as the server says", "HY000", code);

        assertThat(Failures.refusal(TableColumn.named("shop.orders.payload"), error))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("the table was changed meanwhile (as the server says)");
    }
}
