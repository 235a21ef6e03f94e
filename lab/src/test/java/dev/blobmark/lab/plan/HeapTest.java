package dev.blobmark.lab.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeapTest {

    @ParameterizedTest
    @CsvSource({
        "1, 24576, 1024",
        "1, 4096, 1024",
        "1, 4095, 768",
        "1, 2048, 512",
        "1, 512, 256",
        "2, 4096, 512",
        "16, 24576, 256",
        "64, 1024, 256"
    })
    void allHeapsOfAForkTakeAQuarterOfTheMemory(int jvms, long memoryMegabytes, int megabytes) {
        assertThat(Heap.of(jvms, 0, memoryMegabytes << 20)).isEqualTo(new Heap(megabytes));
    }

    /** 512 threads with values of 448 KB ended for lack of memory with a heap of 1 GB. */
    @ParameterizedTest
    @CsvSource({
        "1, 24576, 64, 1024",
        "1, 24576, 1024, 1024",
        "1, 24576, 1025, 1280",
        "1, 24576, 1792, 1792",
        "2, 24576, 1792, 1792",
        "4, 24576, 1792, 1536",
        "1, 4096, 1792, 1024"
    })
    void manyThreadsWithLargeValuesHaveMore(int jvms, long memoryMegabytes, long heldMegabytes, int megabytes) {
        assertThat(Heap.of(jvms, heldMegabytes << 20, memoryMegabytes << 20)).isEqualTo(new Heap(megabytes));
    }

    @Test
    void theCollectorDoesNotDependOnTheProcessors() {
        assertThat(new Heap(512).flags()).contains("-XX:+AlwaysActAsServerClassMachine");
    }

    @Test
    void aHeapIsFixedAndTouched() {
        assertThat(new Heap(512).flags()).contains("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch");
    }
}
