package dev.blobmark.lab.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.server.ServerIdentity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LayoutTest {

    private static Optional<String> unsupported(String layout, String product, Map<String, String> variables) {
        return Layout.FACTOR
                .parse(layout)
                .unsupported()
                .apply(new ServerIdentity(product, "1", "", new TreeMap<>(variables)));
    }

    @ParameterizedTest
    @CsvSource({
        "compressed, 4, false",
        "compressed, 16, true",
        "compressed:4, 4, true",
        "compressed:8, 4, false",
        "compressed:16, 16, true",
        "compressed:1, 32, false",
        "dynamic, 32, true"
    })
    void blocksAreNoLongerThanAPageAndPagesNoLongerThan16KB(String layout, int pageKb, boolean isThere) {
        assertThat(unsupported(layout, "MySQL", Map.of("innodb_page_size", "" + (pageKb << 10)))
                        .isEmpty())
                .isEqualTo(isThere);
    }

    /** Found by bisection on MySQL 9.7.4 and MariaDB 11.4.5, each value in a table of its own. */
    @ParameterizedTest
    @CsvSource({
        "4, 1957, 1947, 1947",
        "8, 4005, 3995, 3995",
        "16, 8101, 8091, 8091",
        "32, 16293, 16283, 16283",
        "64, 16359, 16352, 16351"
    })
    void theLongestValueInARowFollowsFromThePage(
            int pageKb, int longest, int redundantOnMySql, int redundantOnMariaDb) {
        for (String layout : List.of("dynamic", "compact", "page:zlib")) {
            assertThat(longestInRow(layout, "MySQL", pageKb)).hasValue(longest);
            assertThat(longestInRow(layout, "MariaDB", pageKb)).hasValue(longest);
        }
        assertThat(longestInRow("redundant", "MySQL", pageKb)).hasValue(redundantOnMySql);
        assertThat(longestInRow("redundant", "MariaDB", pageKb)).hasValue(redundantOnMariaDb);
        assertThat(longestInRow("compressed", "MySQL", pageKb)).isEmpty();
        assertThat(longestInRow("ndb", "MySQL", pageKb)).isEmpty();
    }

    private static OptionalInt longestInRow(String layout, String product, int pageKb) {
        return Layout.FACTOR
                .parse(layout)
                .longestInRow(new ServerIdentity(
                        product, "1", "", new TreeMap<>(Map.of("innodb_page_size", "" + (pageKb << 10)))));
    }

    @Test
    void anAlgorithmIsThatOfAWholeMariaDb() {
        Layout lz4 = Layout.FACTOR.parse("page:lz4");
        assertThat(lz4.serverVariables()).isEqualTo(Map.of("innodb_compression_algorithm", "lz4"));
        assertThat(Layout.FACTOR.parse("page:zlib").serverVariables())
                .as("what every MariaDB begins with")
                .isEmpty();

        assertThat(unsupported("page:lz4", "MariaDB", Map.of("innodb_compression_algorithm", "lz4")))
                .isEmpty();
        assertThat(unsupported("page:lz4", "MariaDB", Map.of("innodb_compression_algorithm", "zlib"))
                        .orElseThrow())
                .contains("innodb_compression_algorithm is zlib", "plugin_load_add=provider_lz4");
        assertThat(unsupported("page:lz4", "MySQL", Map.of())).isEmpty();
        assertThat(unsupported("page:lzma", "MySQL", Map.of()).orElseThrow()).contains("zlib or lz4 only, not by lzma");
    }

    @Test
    void whatIsCompressedIsKnown() {
        assertThat(Layout.ALL)
                .filteredOn(layout -> !layout.isCompressed())
                .extracting(Layout::id)
                .containsExactly("dynamic", "compact", "redundant", "ndb", "ndb:auto-increment");
        assertThat(Layout.FACTOR.parse("page:zlib").hasCompressedBlocks()).isFalse();
        assertThat(Layout.FACTOR.parse("compressed").hasCompressedBlocks()).isTrue();
    }

    @Test
    void onlyTheKeyOfOneLayoutIsNumberedByTheServer() {
        for (Layout layout : Layout.ALL) {
            assertThat(MySqlTable.ddl("s", "t", layout, Column.MEDIUMBLOB))
                    .startsWith(
                            layout.id().equals("ndb:auto-increment")
                                    ? "CREATE TABLE `s`.`t` (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, data "
                                    : "CREATE TABLE `s`.`t` (id INT NOT NULL PRIMARY KEY, data ");
        }
        Layout numbered = Layout.FACTOR.parse("ndb:auto-increment");
        assertThat(numbered.downgrade(Map.of("engine", "ndbcluster", "key_extra", "auto_increment")))
                .isEmpty();
        assertThat(numbered.downgrade(Map.of("engine", "ndbcluster", "key_extra", "")))
                .hasValueSatisfying(
                        difference -> assertThat(difference).endsWith("key_extra is  instead of auto_increment"));
    }

    @Test
    void columnsAreReadAndWrittenOneWay() {
        for (String column :
                new String[] {"mediumblob", "longblob-compressed", "varbinary(8)", "varbinary:fit", "char(8)"}) {
            assertThat(Column.FACTOR.canonical(column)).isEqualTo(column);
        }
        assertThat(Column.FACTOR.canonical("varbinary(008)")).isEqualTo("varbinary(8)");
        assertThat(Column.FACTOR.defaultLevel()).contains("mediumblob");
        assertThatThrownBy(() -> Column.FACTOR.parse("varbinary(65530)"))
                .hasMessage("column 'varbinary(65530)': the length must be from 1 to 65529; longer values need a blob,"
                        + " such as mediumblob");
        assertThatThrownBy(() -> Column.FACTOR.parse("char(0)")).hasMessageContaining("from 1 to 255");
        assertThatThrownBy(() -> Column.FACTOR.parse("longblobb")).hasMessageContaining("longblob");
    }

    @ParameterizedTest
    @CsvSource({
        // level, canonical, bytes in the row of values of up to 24,576 bytes, and of up to 65,536
        "default, default,   256,   256",
        "fit,         fit, 24576, 29736",
        "max,         max, 29736, 29736",
        "24576,      24KB, 24576, 24576",
        "1000,       1000,  1000,  1000",
    })
    void whatIsInlineFollowsFromTheLongestValue(String level, String canonical, int some, int many) {
        assertThat(Inline.FACTOR.canonical(level)).isEqualTo(canonical);
        assertThat(Inline.FACTOR.parse(canonical).bytes(24_576)).isEqualTo(some);
        assertThat(Inline.FACTOR.parse(canonical).bytes(65_536)).isEqualTo(many);
    }

    @Test
    void whatCannotBeInlineIsRefused() {
        assertThatThrownBy(() -> Inline.FACTOR.parse("0")).hasMessageContaining("write 1 to 65535");
        assertThatThrownBy(() -> Inline.FACTOR.parse("64KB")).hasMessageContaining("write 1 to 65535");
        assertThatThrownBy(() -> Inline.FACTOR.parse("all")).hasMessageContaining("write default, fit, max");
    }

    @Test
    void countsOfCompressionAreSubtracted() {
        BlockCompression before = new BlockCompression(4096, 10, 7, 1);

        assertThat(new BlockCompression(4096, 25, 20, 3).since(before))
                .isEqualTo(new BlockCompression(4096, 15, 13, 2));
        assertThatThrownBy(() -> new BlockCompression(4096, 1, 2, 0))
                .hasMessageContaining("1 compressions, 2 of them ok");
    }
}
