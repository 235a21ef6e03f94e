package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.failure.Failures;
import dev.blobmark.reencode.failure.ReencodeException;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors of the server that have a reason for people. */
class FailuresTest {

    private static final TableColumn COLUMN = TableColumn.named("shop.orders.payload");

    @ParameterizedTest
    @ValueSource(ints = {1146, 1054, 1412})
    void aTableThatOthersChanged(int code) {
        SQLException error = new SQLException("as the server says", "HY000", code);

        assertThat(Failures.refusal(COLUMN, error))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("the table was changed meanwhile (as the server says)");
    }

    /** As servers word them: of the column itself, and of one that the server computes. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    1406 | 22001 | Data too long for column 'payload' at row 1                                 | changed
                    1406 | 22001 | Data too long for column 'g' at row 1                                       | refused
                    1366 | HY000 | Incorrect string value: 'x' for column `shop`.`orders`.`payload` at row 1   | changed
                    1366 | HY000 | Incorrect integer value: 'abc' for column 'g' at row 1                      | refused
                    1264 | 22003 | Out of range value for column 'g' at row 1                                  | refused
                    1265 | 01000 | Data truncated for column 'g' at row 1                                      | refused
                    1690 | 22003 | BIGINT UNSIGNED value is out of range                                       | refused
                    3141 | 22032 | Invalid JSON text in argument 1 to function json_extract                    | refused
                    3819 | HY000 | Check constraint 'positive' is violated.                                    | refused
                    """)
    void aRowThatDoesNotFit(int code, String state, String message, String word) {
        SQLException error = new SQLException(message, state, code);
        assertThat(Failures.refusal(COLUMN, error))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining(
                        word.equals("changed")
                                ? "the table was changed meanwhile"
                                : "a row would be refused by the table's own definition");
    }

    @ParameterizedTest
    @ValueSource(ints = {1203, 1226})
    void anAccountThatMayHaveNoMoreConnections(int code) {
        assertThat(Failures.refusal(COLUMN, new SQLException("too many", "42000", code)))
                .hasMessageContaining("raise MAX_USER_CONNECTIONS; the same command continues");
    }
}
