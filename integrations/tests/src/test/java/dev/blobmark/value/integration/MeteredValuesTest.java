package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.value.FrameException;
import dev.blobmark.value.ValueFormat;
import dev.blobmark.value.micrometer.MeteredValues;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class MeteredValuesTest {

    @Test
    void countsBytesTimesAndValuesThatStayRaw() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        ValueFormat format = ValueFormat.builder()
                .writes("zstd:3")
                .listener(new MeteredValues(registry, "orders.payload"))
                .build();
        format.startWriting();
        byte[] stored = format.encode(new byte[1_000]);
        format.encode(new byte[10]);
        format.decode(stored);
        assertThat(registry.get("blobmark.value.encode")
                        .tag("column", "orders.payload")
                        .timer()
                        .count())
                .isEqualTo(2);
        assertThat(registry.get("blobmark.value.decode").timer().count()).isEqualTo(1);
        assertThat(registry.get("blobmark.value.written").counter().count()).isEqualTo(1_010);
        assertThat(registry.get("blobmark.value.stored").counter().count()).isEqualTo(stored.length + 10);
        assertThat(registry.get("blobmark.value.left.raw").counter().count()).isEqualTo(1);
    }

    @Test
    void countsWhatCannotBeReadByItsReason() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        ValueFormat format = ValueFormat.builder()
                .writes("deflate:6")
                .listener(new MeteredValues(registry, "orders.payload"))
                .build();
        format.startWriting();
        byte[] stored = format.encode(new byte[1_000]);
        stored[stored.length - 1] ^= 1;
        assertThatThrownBy(() -> format.decode(stored))
                .isInstanceOfSatisfying(
                        FrameException.class, e -> assertThat(e.reason()).isEqualTo(FrameException.Reason.NOT_A_FRAME));
        assertThat(registry.get("blobmark.value.unreadable")
                        .tag("reason", "not_a_frame")
                        .counter()
                        .count())
                .isEqualTo(1);
    }
}
