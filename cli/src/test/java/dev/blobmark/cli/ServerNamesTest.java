package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerNamesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mysql://app@db1:3306/ | mysql://app@db1:3306/",
                "mysql://app@shard{00..03}/ | mysql://app@shard00/ mysql://app@shard01/ mysql://app@shard02/ mysql://app@shard03/",
                "mysql://shard{9..11}/ | mysql://shard9/ mysql://shard10/ mysql://shard11/",
                "mysql://{a,b}:{1,2}/ | mysql://a:1/ mysql://a:2/ mysql://b:1/ mysql://b:2/"
            })
    void bracesNameServersAsInAShell(String text, String names) {
        assertThat(ServerNames.expand(text)).containsExactly(names.split(" "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"db{1..", "db1}", "db{}", "db{1}", "db{1,}", "db{3..1}", "db{0..9999}", "db{0..99}{0..99}"})
    void whatNamesNoServersIsRefused(String text) {
        assertThatThrownBy(() -> ServerNames.expand(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("{");
    }

    @Test
    void aLabelHasNoAccount() {
        assertThat(ServerNames.label("mysql://app:secret@shard07:3306/x?y")).isEqualTo("shard07:3306");
        assertThat(ServerNames.label("mysql://shard07/")).isEqualTo("shard07");
    }
}
