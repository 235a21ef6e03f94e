package dev.blobmark.lab.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every dataset keeps to. */
abstract class DatasetContract {

    static final long SEED = 42;

    abstract Dataset dataset();

    /** The sizes to ask for; where the dataset has sizes of its own, any one number. */
    abstract int[] sizes();

    @Test
    void isFoundByItsId() {
        Dataset again = Datasets.parse(dataset().id());

        assertThat(again.id()).isEqualTo(dataset().id());
        assertThat(again.values(sizes()[0], SEED).digest())
                .isEqualTo(dataset().values(sizes()[0], SEED).digest());
    }

    @Test
    void givesTheSameBytesAgainInAnyOrder() {
        for (int size : sizes()) {
            Values once = dataset().values(size, SEED);
            Values again = dataset().values(size, SEED);
            assertThat(again.count()).isEqualTo(once.count()).isBetween(1, 1_000);
            byte[][] forwards =
                    IntStream.range(0, once.count()).mapToObj(once::get).toArray(byte[][]::new);
            for (int i = again.count() - 1; i >= 0; i--) {
                assertThat(again.get(i)).as("size %d, value %d", size, i).isEqualTo(forwards[i]);
            }
        }
    }

    @Test
    void saysHowLongItsValuesAre() {
        for (int size : sizes()) {
            Values values = dataset().values(size, SEED);
            int[] lengths = IntStream.range(0, values.count())
                    .map(i -> values.get(i).length)
                    .toArray();
            assertThat(IntStream.range(0, values.count()).map(values::length).toArray())
                    .isEqualTo(lengths);
            if (dataset().hasSize()) {
                assertThat(lengths).containsOnly(size);
            }
            int longest = Arrays.stream(lengths).max().orElseThrow();
            long total = Arrays.stream(lengths).asLongStream().sum();
            assertThat(values.maxLength()).isEqualTo(longest);
            assertThat(values.totalLength()).isEqualTo(total);
            assertThat(values.sizes().count()).isEqualTo(lengths.length);
            assertThat(values.sizes().max()).isEqualTo(longest);
            assertThat(values.sizes().total()).isEqualTo(total);
        }
    }

    @Test
    void repeatsNoValue() {
        for (int size : sizes()) {
            Values values = dataset().values(size, SEED);
            Set<String> seen = new HashSet<>();
            for (int i = 0; i < values.count(); i++) {
                assertThat(seen.add(HexFormat.of().formatHex(sha256(values.get(i)))))
                        .as("size %d, value %d is new", size, i)
                        .isTrue();
            }
        }
    }

    @Test
    void hasTheDigestOfItsCountLengthsAndBytes() throws Exception {
        for (int size : sizes()) {
            Values values = dataset().values(size, SEED);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeInt(values.count());
            for (int i = 0; i < values.count(); i++) {
                byte[] value = values.get(i);
                out.writeInt(value.length);
                out.write(value);
            }
            String expected = HexFormat.of().formatHex(sha256(bytes.toByteArray()));
            assertThat(values.digest()).isEqualTo(expected);
            assertThat(values.digest()).isEqualTo(expected);
        }
    }

    @Test
    void givesArraysThatAreTheCallers() {
        Values values = dataset().values(sizes()[0], SEED);
        byte[] before = values.get(0).clone();

        Arrays.fill(values.get(0), (byte) '!');

        assertThat(values.get(0)).isEqualTo(before);
    }

    @Test
    void mayBeReadByManyThreads() throws Exception {
        Values alone = dataset().values(sizes()[0], SEED);
        Values shared = dataset().values(sizes()[0], SEED);
        int threads = 8;
        CyclicBarrier together = new CyclicBarrier(threads);
        var pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<Void>> readers = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int offset = thread;
                readers.add(() -> {
                    together.await();
                    for (int i = 0; i < 200; i++) {
                        int index = (offset + i) % shared.count();
                        assertThat(shared.get(index)).isEqualTo(alone.get(index));
                    }
                    assertThat(shared.digest()).isEqualTo(alone.digest());
                    return null;
                });
            }
            for (Future<Void> reader : pool.invokeAll(readers)) {
                reader.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void hasNoValueBeyondItsCount() {
        Values values = dataset().values(sizes()[0], SEED);

        for (int index : new int[] {-1, values.count(), Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> values.get(index)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> values.length(index)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
