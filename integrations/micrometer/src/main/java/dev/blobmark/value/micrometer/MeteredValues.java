package dev.blobmark.value.micrometer;

import dev.blobmark.value.FrameException;
import dev.blobmark.value.ValueListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Meters of a column's values:
 *
 * <pre>{@code
 * ValueFormat.builder().writes("zstd:3").listener(new MeteredValues(registry, "orders.payload")).build();
 * }</pre>
 *
 * <p>{@code blobmark.value.encode} and {@code blobmark.value.decode} are timers. {@code blobmark.value.written} and
 * {@code blobmark.value.stored} count the bytes of written values and those that are stored for them, so that the first
 * ÷ the second is the ratio. {@code blobmark.value.left.raw} counts written values that stay raw because they are not
 * worth encoding, and {@code blobmark.value.prevented} those that a reader or a withdrawn dictionary kept from being
 * encoded. {@code blobmark.value.unreadable} counts stored values that could not be read, with the tag {@code reason},
 * such as {@code missing_dictionary}. All have the tag {@code column}.
 */
public final class MeteredValues implements ValueListener {

    private final Timer encode;
    private final Timer decode;
    private final Counter written;
    private final Counter stored;
    private final Counter leftRaw;
    private final Counter prevented;
    private final Map<FrameException.Reason, Counter> unreadable = new EnumMap<>(FrameException.Reason.class);

    /**
     * Meters of one column.
     *
     * @param registry where they are registered
     * @param column the value of the tag, such as {@code orders.payload}
     */
    public MeteredValues(MeterRegistry registry, String column) {
        Tags tags = Tags.of("column", column);
        encode = registry.timer("blobmark.value.encode", tags);
        decode = registry.timer("blobmark.value.decode", tags);
        written = Counter.builder("blobmark.value.written")
                .baseUnit("bytes")
                .tags(tags)
                .register(registry);
        stored = Counter.builder("blobmark.value.stored")
                .baseUnit("bytes")
                .tags(tags)
                .register(registry);
        leftRaw = registry.counter("blobmark.value.left.raw", tags);
        prevented = registry.counter("blobmark.value.prevented", tags);
        for (FrameException.Reason reason : FrameException.Reason.values()) {
            unreadable.put(
                    reason,
                    registry.counter(
                            "blobmark.value.unreadable",
                            tags.and("reason", reason.name().toLowerCase(Locale.ROOT))));
        }
    }

    @Override
    public void encoded(int rawBytes, int storedBytes, long nanos) {
        encode.record(nanos, TimeUnit.NANOSECONDS);
        written.increment(rawBytes);
        stored.increment(storedBytes);
        if (storedBytes >= rawBytes) {
            leftRaw.increment();
        }
    }

    @Override
    public void decoded(int rawBytes, int storedBytes, long nanos) {
        decode.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void prevented(int rawBytes) {
        prevented.increment();
    }

    @Override
    public void unreadable(FrameException.Reason reason) {
        unreadable.get(reason).increment();
    }
}
