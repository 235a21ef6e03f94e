package dev.blobmark.lab.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpellingTest {

    private static final List<String> STUDIES =
            List.of("blob-fetch", "innodb-compression", "set-membership", "ndb-blob", "tls");

    @ParameterizedTest
    @CsvSource({
        "blob-fetch, blob-fetch",
        "blob-fecth, blob-fetch",
        "Blob-Fetch, blob-fetch",
        "blobfetch, blob-fetch",
        "blob, blob-fetch",
        "inodb-compresion, innodb-compression",
        "tsl, tls",
        "tl, tls",
        "bl, ",
        "redis, "
    })
    void theNearestWordIsNearEnoughOrNone(String word, String nearest) {
        assertThat(Spelling.nearest(word, STUDIES).orElse(null)).isEqualTo(nearest);
    }

    @Test
    void theNearerOfTwoIsTaken() {
        assertThat(Spelling.nearest("brotli-1", List.of("brotli-0", "brotli-11", "brotli-1")))
                .hasValue("brotli-1");
        assertThat(Spelling.nearest("lz4hc-91", List.of("lz4hc-12", "lz4hc-9"))).hasValue("lz4hc-9");
    }

    @Test
    void withoutANearWordThoseThereAreAreListed() {
        assertThat(Spelling.suggest("blob-fecth", STUDIES)).isEqualTo("did you mean 'blob-fetch'?");
        assertThat(Spelling.suggest("redis", List.of("a", "b"))).isEqualTo("it is one of a, b");
        assertThat(Spelling.suggest("redis", List.of())).isEqualTo("there is none");
        assertThat(Spelling.suggest(
                        "redis", IntStream.range(0, 20).mapToObj(i -> "w" + i).toList()))
                .isEqualTo("it is one of w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, …");
    }
}
