package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.reencode.table.SqlTokens;
import dev.blobmark.reencode.table.TableText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlTokensTest {

    private static boolean mentions(String sql, String mode) {
        return SqlTokens.mentions(SqlTokens.of(sql, mode), "payload");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "payload",
                "PayLoad",
                "(`payload`)",
                "length(payload)>3",
                "meta->'$.x' = payload",
                "'it''s' || payload",
                "'\\'' , payload",
                "NEW.payload",
                "1+payload",
                "a -- b\n+ payload",
                "a --payload",
                "/* x */ payload",
                "/*!80000 payload */",
                "/*M!100301 payload */",
                "@x := payload",
                "\"a\" payload"
            })
    void aColumnIsFound(String sql) {
        assertThat(mentions(sql, "")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "meta->'$.payload.kind'",
                "'payload'",
                "\"payload\"",
                "'it''s payload'",
                "'\\' payload'",
                "'\\\\' 'payload'",
                "payload_id",
                "`my payload`",
                "`a``payload`",
                "$payload",
                "größepayload",
                "x -- payload",
                "x # payload",
                "/* payload */ x",
                "@payload",
                "@`payload`",
                "@'payload'",
                "_utf8mb4'payload'"
            })
    void whatIsNotTheColumnIsNot(String sql) {
        assertThat(mentions(sql, "")).isFalse();
    }

    @Test
    void modesDecideWhatQuotesAndBackslashesMean() {
        assertThat(mentions("\"payload\"", "ANSI_QUOTES")).isTrue();
        assertThat(mentions("\"payload\"", "REAL_AS_FLOAT,ANSI_QUOTES,ANSI")).isTrue();
        assertThat(mentions("'\\' + payload + ''", "NO_BACKSLASH_ESCAPES")).isTrue();
        assertThat(mentions("'\\' + payload + '", "")).isFalse();
    }

    @Test
    void stringsHaveTheirCharacters() {
        assertThat(SqlTokens.of("'a\\'b''c\\\\\\n\\%\\x'").get(0).text()).isEqualTo("a'b'c\\\n\\%x");
        assertThat(SqlTokens.of("`a``b`").get(0).text()).isEqualTo("a`b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"'x", "`x", "/* x", "'x\\'"})
    void whatDoesNotEndIsAnError(String sql) {
        assertThatThrownBy(() -> SqlTokens.of(sql))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not end");
    }

    @Test
    void aDefinitionHasItsParts() {
        TableText text =
                TableText.parse("CREATE TABLE `a,(b` (\n  `id` int NOT NULL AUTO_INCREMENT,\n  `c,` enum('a','b)')"
                        + " DEFAULT 'a' COMMENT ' AUTO_INCREMENT=7',\n  PRIMARY KEY (`id`),\n  KEY `f` ((lower(`c,`)),`id`),\n"
                        + "  CONSTRAINT `k` CHECK (`id` > 0)\n) ENGINE=InnoDB AUTO_INCREMENT=18446744073709551615 DEFAULT"
                        + " CHARSET=utf8mb4 COMMENT='x'\n/*!50100 PARTITION BY HASH (`id`)\nPARTITIONS 2 */");
        assertThat(text.columns().keySet()).containsExactly("id", "c,");
        assertThat(text.others()).hasSize(3);
        assertThat(text.others().get(1).expressions()).hasSize(1);
        assertThat(text.options().keySet()).containsExactly("ENGINE", "AUTO_INCREMENT", "DEFAULT CHARSET", "COMMENT");
        assertThat(text.counter()).hasToString("Optional[18446744073709551615]");
        assertThat(text.rest().mentions("PARTITIONS")).isTrue();
        assertThatThrownBy(() -> TableText.parse("CREATE VIEW v AS SELECT 1"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
