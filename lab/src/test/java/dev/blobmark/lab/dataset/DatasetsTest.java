package dev.blobmark.lab.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatasetsTest {

    @Test
    void listsAllKindsOnce() {
        assertThat(Datasets.all())
                .extracting(Datasets.DatasetKind::name)
                .containsExactly(
                        "sites",
                        "random:62",
                        "random:10",
                        "random:4",
                        "random:2",
                        "uuid:4",
                        "uuid:7",
                        "orders",
                        "dir:PATH",
                        "jsonl:FILE",
                        "table:DB.TABLE.COLUMN");
        assertThat(Datasets.all()).allSatisfy(kind -> assertThat(kind.summary()).isNotBlank());
    }

    @Test
    void everyKindMakesWhatItsNameSays() {
        for (Datasets.DatasetKind kind : Datasets.all()) {
            assertThat(Datasets.parse(kind.name()).id()).isEqualTo(kind.name());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "site, sites",
        "Sites, sites",
        "random:64, random:62",
        "random:3, random:4",
        "random:, random:4",
        "random, random:4",
        "radnom:2, random:2",
        "dir, dir:PATH",
        "dir:, dir:PATH",
        "directory:/tmp, dir:PATH",
        "dri:/srv/images, dir:PATH",
        "DIR:/srv/images, dir:PATH",
        "jsonl, jsonl:FILE",
        "json:values, jsonl:FILE"
    })
    void namesTheNearestWord(String word, String nearest) {
        assertThatThrownBy(() -> Datasets.parse(word))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "there is no dataset '%s'; did you mean %s? "
                                + "There are sites, random:62, random:10, random:4, random:2, uuid:4, uuid:7, orders, dir:PATH, jsonl:FILE, table:DB.TABLE.COLUMN",
                        word, nearest);
    }
}
