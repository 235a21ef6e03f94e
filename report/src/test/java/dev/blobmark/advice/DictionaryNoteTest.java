package dev.blobmark.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.dataset.Datasets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DictionaryNoteTest {

    private static Optional<String> note(String dataset, int size) {
        return DictionaryNote.of(Datasets.parse(dataset).values(size, 1), 1);
    }

    @Test
    void aDictionaryIsNamedForSmallValuesThatAreAlike() {
        assertThat(note("orders", 400).orElseThrow())
                .matches(
                        "with a dictionary of [0-9]+ KB, zstd:3 would take [3-7][0-9] % fewer bytes than without one, at"
                                + " least [2-7][0-9] % \\(on 200 values that it was not trained on\\): docs/value.md");
    }

    @Test
    void itIsNotForOthers() {
        assertThat(note("random:62", 400)).isEmpty(); // nothing in common
        assertThat(note("orders", 65_536)).isEmpty(); // long
        assertThat(note("uuid:4", 16)).isEmpty();
    }
}
