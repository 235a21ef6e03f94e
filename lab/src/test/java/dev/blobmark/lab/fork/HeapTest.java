package dev.blobmark.lab.fork;

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
        assertThat(Heap.of(jvms, memoryMegabytes << 20)).isEqualTo(new Heap(megabytes));
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
