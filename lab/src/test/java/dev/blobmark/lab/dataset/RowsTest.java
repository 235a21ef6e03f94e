package dev.blobmark.lab.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datasets that are asked for so many values. */
class RowsTest {

    private static List<String> all(Values values) {
        return IntStream.range(0, values.count())
                .mapToObj(i -> {
                    byte[] value = values.get(i);
                    assertThat(values.length(i)).isEqualTo(value.length);
                    return new String(value, StandardCharsets.ISO_8859_1);
                })
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sites", "random:62"})
    void generatorsMakeAsManyDifferentOnes(String dataset) {
        Dataset kind = Datasets.parse(dataset);
        List<String> many = all(kind.values(200, 42, 3_000));

        assertThat(many).hasSize(3_000).doesNotHaveDuplicates();
        assertThat(many).startsWith(all(kind.values(200, 42)).toArray(String[]::new));
        assertThat(all(kind.values(200, 42, 3))).isEqualTo(many.subList(0, 3));
    }

    @Test
    void aGeneratorThatHasNoMoreBeginsAnew() {
        List<String> values = all(Datasets.parse("random:2").values(3, 42, 20));

        assertThat(values.subList(0, 8)).doesNotHaveDuplicates();
        assertThat(values.subList(8, 16)).isEqualTo(values.subList(0, 8));
        assertThat(values).hasSize(20);
    }

    @Test
    void filesAreDealtOutAgainOrAtEvenDistances(@TempDir Path directory) throws Exception {
        for (int i = 0; i < 10; i++) {
            Files.writeString(directory.resolve("file-" + i), "value " + i);
        }
        Dataset files = Datasets.parse("dir:" + directory);

        assertThat(all(files.values(0, 42, 23)).stream().collect(Collectors.groupingBy(v -> v, Collectors.counting())))
                .hasSize(10)
                .containsEntry("value 2", 3L)
                .containsEntry("value 3", 2L);
        assertThat(all(files.values(0, 42, 3))).containsExactly("value 0", "value 3", "value 6");
        assertThat(files.values(0, 42, 3).digest())
                .isNotEqualTo(files.values(0, 42, 4).digest())
                .isEqualTo(files.values(0, 42, 3).digest());
    }

    @Test
    void aNumberOrAsManyAsThereAre() {
        assertThat(Rows.FACTOR.parse("dataset")).isEmpty();
        assertThat(Rows.FACTOR.parse("50000")).isEqualTo(OptionalInt.of(50_000));
        assertThat(Rows.FACTOR.canonical("0050")).isEqualTo("50");
        assertThatThrownBy(() -> Rows.FACTOR.parse("0"))
                .hasMessage("rows '0' is neither 'dataset' nor a number between 1 and 10000000");
    }
}
