package dev.blobmark.fleet.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.measurement.SizeClass;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sketches of parts of a column, put together in many ways. */
class ColumnSketchTest {

    private static final SampleSize LIMITS = new SampleSize(100, 40_000);

    private static long hash(byte[] value) {
        return new SplittableRandom(Arrays.hashCode(value) * 31L + value.length).nextLong();
    }

    private static byte[] value(int number) {
        byte[] value = new byte[20 + number % 1_500];
        new Random(number).nextBytes(value);
        return value;
    }

    /** Some values occur several times; one row has none. */
    private static List<byte[]> values(int count) {
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(value(i % 10 == 0 ? i / 100 : i));
        }
        return values;
    }

    private static ColumnSketch sketch(List<byte[]> values) {
        ColumnSketch sketch = new ColumnSketch();
        values.forEach(value -> sketch.add(value, hash(value), LIMITS));
        return sketch;
    }

    private static byte[] bytes(ColumnSketch sketch) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sketch.write(new DataOutputStream(out));
        return out.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 17, 300})
    void partsMakeTheSameWholeToTheLastByte(int parts) throws IOException {
        List<byte[]> values = values(5_000);
        byte[] whole = bytes(sketch(values));
        for (int seed = 0; seed < 5; seed++) {
            List<byte[]> shuffled = new ArrayList<>(values);
            Collections.shuffle(shuffled, new Random(seed));
            List<ColumnSketch> sketches = new ArrayList<>();
            for (int part = 0; part < parts; part++) {
                int number = part;
                List<byte[]> own = new ArrayList<>();
                for (int i = number; i < shuffled.size(); i += parts) {
                    own.add(shuffled.get(i));
                }
                sketches.add(sketch(own));
            }
            Collections.shuffle(sketches, new Random(seed + 7));
            ColumnSketch merged = new ColumnSketch();
            for (ColumnSketch each : sketches) {
                merged = merged.plus(each, LIMITS);
            }

            assertThat(bytes(merged)).isEqualTo(whole);
        }
    }

    @Test
    void totalsAreExactAndTheSampleHasTheRowsOfItsValues() {
        List<byte[]> values = values(5_000);
        ColumnSketch sketch = sketch(values);
        long rows = 0;
        long bytes = 0;
        for (int i = 0; i < ColumnSketch.CLASSES; i++) {
            rows += sketch.ofSize(i).rows();
            bytes += sketch.ofSize(i).bytes();
            for (ColumnSketch.SketchedValue value : sketch.ofSize(i).sample()) {
                assertThat(value.rows())
                        .isEqualTo(values.stream()
                                .filter(each -> Arrays.equals(each, value.bytes()))
                                .count());
            }
            assertThat(sketch.ofSize(i).sample()).hasSizeLessThanOrEqualTo(100);
        }
        assertThat(rows).isEqualTo(5_000);
        assertThat(bytes)
                .isEqualTo(values.stream().mapToLong(value -> value.length).sum());
    }

    /** Of 4,500 to 4,550 different values; a sample of 100 or fewer knows that to some 10 %. */
    @Test
    void differentValuesAreCountedByTheirHashes() {
        ColumnSketch sketch = sketch(values(5_000));
        double distinct = sketch.ofSize(0).distinct() + sketch.ofSize(1).distinct();

        assertThat(distinct).isBetween(3_000.0, 6_500.0);
        assertThat(sketch(values(50)).ofSize(0).distinct())
                .as("all of them are in the sample")
                .isEqualTo(sketch(values(50)).ofSize(0).sample().size());
    }

    @Test
    void itIsReadAsItWasWritten() throws IOException {
        ColumnSketch sketch = sketch(values(1_000));
        sketch.addMissing();
        sketch.addUnread(5_000_000_000L);
        byte[] written = bytes(sketch);

        ColumnSketch read = ColumnSketch.read(new DataInputStream(new ByteArrayInputStream(written)));

        assertThat(bytes(read)).isEqualTo(written);
        assertThat(read.missing()).isEqualTo(1);
        assertThat(read.unread()).isEqualTo(1);
        assertThat(read.ofSize(ColumnSketch.CLASSES - 1).longest()).isEqualTo(5_000_000_000L);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1023, 0", "1024, 1", "4095, 1", "4096, 2", "16383, 2", "1048576, 6", "5000000000, 7"})
    void classesAreThoseOfBlobmark(long length, int number) {
        assertThat(ColumnSketch.classOf(length)).isEqualTo(number).isEqualTo(SizeClass.numberOf(length));
    }

    @Test
    void largeValuesAreFew() {
        ColumnSketch sketch = new ColumnSketch();
        for (int i = 0; i < 10; i++) {
            byte[] value = new byte[20_000];
            value[0] = (byte) i;
            sketch.add(value, hash(value), LIMITS);
        }
        assertThat(sketch.ofSize(3).sample()).hasSize(3);
        assertThat(sketch.ofSize(3).rows()).isEqualTo(10);
    }
}
