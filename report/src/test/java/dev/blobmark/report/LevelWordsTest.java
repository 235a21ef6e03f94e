package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Studies;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LevelWordsTest {

    /** A new factor is not on the first screen of those who do not use it. */
    @Test
    void whatTheStudyDoesNotStateIsNotMentioned() {
        Levels condition = Studies.read("blob-fetch", Factors.VOCABULARY, Optional.of("quick"))
                .trials(Factors.VOCABULARY)
                .get(0)
                .condition();

        assertThat(new LevelWords(false).of(condition))
                .containsExactly("4 KB", "sites", "loopback", "1 thread", "TLS off");
        assertThat(new LevelWords(false).of(condition.with("via", "haproxy"))).contains("via haproxy");
    }
}
