package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.reencode.table.GeneratedColumns;
import dev.blobmark.reencode.table.TableText;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Dates in definitions as MySQL writes them. */
class GeneratedColumnsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    `g` date GENERATED ALWAYS AS (`text`) VIRTUAL, KEY `k` (`g`)                 | g
                    `g` date GENERATED ALWAYS AS (`text`) VIRTUAL                                |
                    `g` date GENERATED ALWAYS AS (`text`) STORED, KEY `k` (`g`)                  |
                    `g` datetime GENERATED ALWAYS AS (`exact`) VIRTUAL, KEY `k` (`g`)            | g
                    `g` datetime GENERATED ALWAYS AS (`at`) VIRTUAL, KEY `k` (`g`)               |
                    `g` int GENERATED ALWAYS AS (hour(`exact`)) VIRTUAL, KEY `k` (`g`)           |
                    `g` date GENERATED ALWAYS AS (cast(`exact` as date)) STORED                  | g
                    `g` date GENERATED ALWAYS AS (cast(`at` as date)) STORED                     |
                    `g` int, KEY `k` ((cast(`exact` as date)))                                   | k
                    `g` int, KEY `k` ((cast(`at` as date)))                                      |
                    `g` int, KEY `k` ((cast(`text` as date)))                                    | k
                    """)
    void datesAreOfDates(String rest, String dependent) {
        TableText text =
                TableText.parse("CREATE TABLE `t` (\n  `id` int NOT NULL,\n  `text` varchar(20) DEFAULT NULL,\n"
                        + "  `at` datetime DEFAULT NULL,\n  `exact` datetime(6) DEFAULT NULL,\n  " + rest
                        + ",\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB");

        assertThat(GeneratedColumns.dependent(text, rest.contains("(`g`)") ? Set.of("g") : Set.of()))
                .hasSize(dependent == null ? 0 : 1)
                .allSatisfy(what -> assertThat(what).matches(".*\\b" + dependent + "\\b.*"));
    }
}
