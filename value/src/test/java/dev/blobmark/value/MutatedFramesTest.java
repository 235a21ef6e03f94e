package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.blobmark.value.FrameException.Reason;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Frames that somebody made to do harm. */
class MutatedFramesTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int MAX_LENGTH = 1 << 20;

    /** Mutations until all classes are loaded; allocations are counted after them. */
    private static final int LOADED = 10_000;

    @Test
    void aMillionMutatedFramesAreReadOrRefusedWithinBounds() {
        List<byte[]> frames = frames();
        ValueFormat format = ValueFormat.builder().maxLength(MAX_LENGTH).build();
        SplittableRandom random = new SplittableRandom(11);
        long thread = Thread.currentThread().getId();
        int refused = 0;
        for (int i = 0; i < 1_000_000; i++) {
            byte[] frame = frames.get(random.nextInt(frames.size())).clone();
            int changes = 1 + random.nextInt(3);
            for (int change = 0; change < changes; change++) {
                // headers are changed as often as all the rest
                int at = 2 + random.nextInt(random.nextBoolean() ? 10 : frame.length - 2);
                frame[at] = (byte) random.nextInt(256);
            }
            if (random.nextBoolean()) {
                repairCheck(frame);
            }
            boolean isMeasured = i % 16 == 0 && i > LOADED;
            long before = isMeasured ? THREADS.getThreadAllocatedBytes(thread) : 0;
            try {
                byte[] value = format.decode(frame);
                assertThat(value.length).isLessThanOrEqualTo(MAX_LENGTH);
            } catch (FrameException e) {
                refused++;
            }
            if (isMeasured) {
                assertThat(THREADS.getThreadAllocatedBytes(thread) - before)
                        .as("bytes allocated for mutation %d", i)
                        .isLessThanOrEqualTo(
                                DecodeFuzz.mostAllocated(Stored.framed(frame).withMaxLength(MAX_LENGTH)));
            }
        }
        assertThat(refused).isGreaterThan(500_000);
    }

    private static List<byte[]> frames() {
        List<byte[]> frames = new ArrayList<>();
        for (String codec : List.of("zstd:3", "lz4", "deflate:6", "brotli:5", "snappy")) {
            for (boolean hasChecksum : new boolean[] {false, true}) {
                ValueFormat format = ValueFormatTest.writing(
                        ValueFormat.builder().writes(codec).policy(new EncodingPolicy(0, 0, hasChecksum)));
                for (int i = 0; i < 20; i++) {
                    byte[] stored = format.encode(Samples.json(i));
                    if (FrameHeader.begins(stored)) {
                        frames.add(stored);
                    }
                }
            }
        }
        return frames;
    }

    /** So that the mutation reaches the decoders. */
    static void repairCheck(byte[] frame) {
        int code = frame[2] & 0xFF;
        PayloadCodec codec = PayloadCodec.of(code >>> 2 & 0xF).orElse(PayloadCodec.ZSTD);
        int field = switch (codec) {
            case ESCAPED -> 3;
            case ZSTD -> (code & 2) != 0 ? 3 : 0;
            default -> 1 + (frame[3] >>> 6 & 3);
        };
        FrameHeader.writeCheck(frame, 0, 3 + field, frame.length);
    }

    @Test
    void aFrameOf2GBIsRefusedBeforeAnythingIsAllocated() {
        // deflate, a length of 2^30 - 1
        byte[] frame = new byte[100];
        frame[0] = (byte) 0xBE;
        frame[1] = (byte) 0xC1;
        frame[2] = (byte) (FrameHeader.VERSION << 6 | PayloadCodec.DEFLATE.number() << 2);
        for (int i = 3; i < 7; i++) {
            frame[i] = (byte) 0xFF;
        }
        FrameHeader.writeCheck(frame, 0, 7, frame.length);
        assertThatThrownBy(() -> ValueFormat.builder().build().decode(frame))
                .isInstanceOfSatisfying(
                        FrameException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LONG))
                .hasMessageContaining("1073741823 bytes, and at most 67108864 are read");
    }

    @ParameterizedTest
    @FieldSource("dev.blobmark.value.ClaimedFrames#CODECS")
    void aLengthThatAFewBytesCannotHoldIsRefusedBeforeItIsAllocated(PayloadCodec codec) {
        ValueFormat format = ValueFormat.builder().build();
        byte[] frame = ClaimedFrames.of(codec, ValueFormat.STANDARD_MAX_LENGTH);
        long allocated = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) { // the first call loads classes
            long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
            assertThatThrownBy(() -> format.decode(frame))
                    .isInstanceOfSatisfying(
                            FrameException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DAMAGED));
            allocated = Math.min(
                    allocated,
                    THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before);
        }
        assertThat(allocated).isLessThan(ValueFormat.STANDARD_MAX_LENGTH / 64);
    }

    @Test
    void aDictionaryThatDoesNotExistIsAnErrorAndNotAskedForAgainAndAgain() {
        DictionaryTrainer trainer = new DictionaryTrainer();
        for (int seed = 0; seed < 2_000; seed++) {
            trainer.add(Samples.json(seed));
        }
        ValueDictionary dictionary = trainer.train(4_000, 3).orElseThrow().dictionary();
        byte[] stored = ValueFormatTest.writing(ValueFormat.builder()
                        .writes("zstd:3")
                        .writesWith(dictionary)
                        .dictionaries(Dictionaries.of(dictionary)))
                .encode(Samples.json(5_000));
        int[] asked = {0};
        ValueFormat format = ValueFormat.builder()
                .dictionaries(number -> {
                    asked[0]++;
                    return Optional.empty();
                })
                .build();
        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(() -> format.decode(stored))
                    .isInstanceOfSatisfying(
                            FrameException.class, e -> assertThat(e.reason()).isEqualTo(Reason.MISSING_DICTIONARY))
                    .hasMessageContaining("dictionary " + ValueDictionary.name(dictionary.number()));
        }
        assertThat(asked[0]).isLessThan(5);
    }
}
