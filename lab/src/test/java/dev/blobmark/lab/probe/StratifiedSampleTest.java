package dev.blobmark.lab.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.probe.StratifiedSample.Stratum;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StratifiedSampleTest {

    @TempDir
    private Path directory;

    private void write(int count, int bytes, char fill) throws IOException {
        for (int i = 0; i < count; i++) {
            Files.writeString(
                    directory.resolve(String.format("%c-%04d", fill, i)),
                    String.valueOf(fill).repeat(bytes));
        }
    }

    private StratifiedSample sample(long bytes) {
        return StratifiedSample.of(Datasets.parse("dir:" + directory).values(0, 1), bytes, 1);
    }

    @Test
    void rareLargeValuesAreRepresentedAndKeepTheirShare() throws IOException {
        write(500, 300, 'a');
        write(5, 100_000, 'z');
        StratifiedSample sample = sample(50_000);
        assertThat(sample.strata()).extracting(Stratum::size).containsExactly(SizeClass.TO_1KB, SizeClass.TO_256KB);
        assertThat(sample.strata()).extracting(Stratum::count).containsExactly(500L, 5L);
        assertThat(sample.strata()).extracting(Stratum::bytes).containsExactly(150_000L, 500_000L);
        assertThat(sample.strata().get(0).chosen()).hasSizeBetween(24, 60);
        assertThat(sample.strata().get(1).chosen()).hasSize(3);
        assertThat(sample.count()).isEqualTo(505);
        assertThat(sample.bytes()).isEqualTo(650_000);
    }

    /** Names sort the files: a sample of the first ones would see only one kind. */
    @Test
    void bothHalvesAreSeen() throws IOException {
        write(300, 2_000, 'a');
        write(300, 2_000, 'b');
        List<byte[]> chosen = sample(100_000).strata().get(0).chosen();
        long ofFirst = chosen.stream().filter(value -> value[0] == 'a').count();
        assertThat(ofFirst).isBetween((long) (0.2 * chosen.size()), (long) (0.8 * chosen.size()));
    }

    @Test
    void allAreTakenIfThereAreFew() throws IOException {
        write(10, 5_000, 'a');
        assertThat(sample(1 << 20).strata().get(0).chosen()).hasSize(10);
    }

    @Test
    void withoutValuesThereIsNoSample() {
        assertThatThrownBy(() -> new StratifiedSample(List.of())).hasMessage("there are no values");
    }
}
