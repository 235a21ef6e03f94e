package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class ValueListenerTest {

    private final List<String> heard = new ArrayList<>();

    private final class Recording implements ValueListener {

        private final String name;

        Recording(String name) {
            this.name = name;
        }

        @Override
        public void encoded(int rawBytes, int storedBytes, long nanos) {
            heard.add(name + " encoded");
        }

        @Override
        public void decoded(int rawBytes, int storedBytes, long nanos) {
            heard.add(name + " decoded");
        }

        @Override
        public void encoded(int rawBytes, int storedBytes, long nanos, long key) {
            heard.add(name + " encoded " + key);
        }

        @Override
        public void unreadable(FrameException.Reason reason) {
            heard.add(name + " " + reason);
        }
    }

    @Test
    void allListenersAreCalledAndNoneCanFailAValue() {
        ValueFormat format = ValueFormatTest.writing(ValueFormat.builder()
                .writes("zstd:3")
                .listener(new Recording("first"))
                .listener(new ValueListener() {
                    @Override
                    public void encoded(int rawBytes, int storedBytes, long nanos) {
                        throw new IllegalStateException("a listener that fails");
                    }

                    @Override
                    public void decoded(int rawBytes, int storedBytes, long nanos) {
                        throw new AssertionError("another one");
                    }
                })
                .listener(new Recording("last")));
        byte[] value = Samples.text(2_000, 1);
        assertThat(format.decode(format.encode(value))).isEqualTo(value);
        assertThat(format.decode(format.encode(value, 42), 43)).isEqualTo(value);
        byte[] damaged = format.encode(value);
        damaged[damaged.length / 2] ^= 1;
        assertThatThrownBy(() -> format.decode(damaged)).isInstanceOf(FrameException.class);
        assertThat(heard)
                .containsExactly(
                        "first encoded",
                        "last encoded",
                        "first decoded",
                        "last decoded",
                        "first encoded 42",
                        "last encoded 42",
                        "first decoded",
                        "last decoded",
                        "first encoded",
                        "last encoded",
                        "first DAMAGED",
                        "last DAMAGED");
    }

    private static <T extends Throwable> void fail(Throwable with) throws T {
        @SuppressWarnings("unchecked")
        T undeclared = (T) with;
        throw undeclared;
    }

    @Test
    void nothingThatAListenerThrowsReachesTheCaller() {
        byte[] value = Samples.text(2_000, 1);
        for (Throwable failure : List.of(
                new IOException("checked, and not declared"),
                new Error("an error"),
                new OutOfMemoryError("of the listener"),
                new StackOverflowError())) {
            ValueFormat format = ValueFormatTest.writing(
                    ValueFormat.builder().writes("zstd:3").listener(new ValueListener() {
                        @Override
                        public void encoded(int rawBytes, int storedBytes, long nanos) {
                            ValueListenerTest.<RuntimeException>fail(failure);
                        }

                        @Override
                        public void decoded(int rawBytes, int storedBytes, long nanos) {
                            ValueListenerTest.<RuntimeException>fail(failure);
                        }
                    }));
            assertThat(format.decode(format.encode(value))).isEqualTo(value);
        }
    }

    /** Near the end of the stack, the logger fails as well. */
    @Test
    void aLoggerThatFailsHasNoEffectOnAValue() {
        Logger logger = Logger.getLogger(Listeners.class.getName());
        logger.setFilter(entry -> {
            throw new StackOverflowError();
        });
        try {
            ValueFormat format = ValueFormatTest.writing(
                    ValueFormat.builder().writes("zstd:3").listener(new ValueListener() {
                        @Override
                        public void encoded(int rawBytes, int storedBytes, long nanos) {
                            throw new IllegalStateException("a listener that fails");
                        }

                        @Override
                        public void decoded(int rawBytes, int storedBytes, long nanos) {
                            throw new IllegalStateException("a listener that fails");
                        }
                    }));
            assertThat(format.decode(format.encode(Samples.text(2_000, 1)))).isEqualTo(Samples.text(2_000, 1));
        } finally {
            logger.setFilter(null);
        }
    }
}
