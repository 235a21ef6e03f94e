package dev.blobmark.value.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.DictionaryTrainer;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ValueWritingTest {

    /** How {@code startWriting} fails while it does. */
    private volatile Optional<Throwable> failure = Optional.empty();

    private volatile boolean isWithdrawn = true;
    private final Semaphore asked = new Semaphore(0);

    private final ValueFormat format = format();

    private ValueFormat format() {
        DictionaryTrainer trainer = new DictionaryTrainer();
        for (int i = 0; i < 1_000; i++) {
            trainer.add(("{\"customer\": " + i + ", \"delivery\": \"street " + i % 17 + "\"}").getBytes());
        }
        ValueDictionary dictionary = trainer.train(4_000, 3).orElseThrow().dictionary();
        Dictionaries known = Dictionaries.of(dictionary);
        return ValueFormat.builder()
                .writes("zstd:3")
                .writesWith(dictionary)
                .dictionaries(new Dictionaries() {
                    @Override
                    public Optional<ValueDictionary> find(int number) {
                        return known.find(number);
                    }

                    @Override
                    public Set<Integer> numbers() {
                        return known.numbers();
                    }

                    @Override
                    public boolean isWithdrawn(int number) {
                        asked.release();
                        failure.ifPresent(thrown -> {
                            if (thrown instanceof Error error) {
                                throw error;
                            }
                            throw (RuntimeException) thrown;
                        });
                        return isWithdrawn;
                    }
                })
                .build();
    }

    @Test
    void triesAgainWhateverIsThrown() throws InterruptedException {
        ValueWriting writing = new ValueWriting(format, 1);
        writing.afterSingletonsInstantiated();
        asked.acquire();
        assertThat(writing.preventedBy().orElseThrow()).contains("was withdrawn");
        failure = Optional.of(new UnsupportedOperationException("as a test wants it"));
        asked.acquire(2); // one may have been on its way
        failure = Optional.of(new OutOfMemoryError("as a test wants it"));
        asked.acquire(2);
        failure = Optional.empty();
        isWithdrawn = false;
        while (!format.isWriting()) {
            Thread.sleep(1);
        }
        writing.destroy();
        assertThat(format.isWriting()).isFalse();
    }

    /** Otherwise the switch that takes writing back would be undone a moment later. */
    @Test
    void doesNotStartWhatTheApplicationHasStopped() throws InterruptedException {
        ValueWriting writing = new ValueWriting(format, 1);
        writing.afterSingletonsInstantiated();
        asked.acquire();
        format.stopWriting();
        isWithdrawn = false;
        while (asked.tryAcquire(2, TimeUnit.SECONDS)) {
            assertThat(format.isWriting()).isFalse();
        }
        assertThat(format.isWriting()).isFalse();
        assertThat(writing.preventedBy()).contains("the application has stopped writing");
        writing.destroy();
    }

    /** A format that is kept in a constant, by a context that has ended. */
    @Test
    void startsWhatWasStoppedBefore() throws InterruptedException {
        isWithdrawn = false;
        ValueWriting ended = new ValueWriting(format, 1);
        ended.afterSingletonsInstantiated();
        ended.destroy();
        assertThat(format.isWriting()).isFalse();
        ValueWriting writing = new ValueWriting(format, 1);
        writing.afterSingletonsInstantiated();
        assertThat(format.isWriting()).isTrue();
        assertThat(writing.preventedBy()).isEmpty();
        writing.destroy();
    }

    /** Such as for a flag that a bean of the application has read: the starter's beans are made after it. */
    @Test
    void doesNotStartWhatTheApplicationHadStoppedBefore() {
        isWithdrawn = false;
        format.stopWriting();
        ValueWriting writing = new ValueWriting(format, 1);
        writing.afterSingletonsInstantiated();
        assertThat(format.isWriting()).isFalse();
        assertThat(writing.preventedBy()).contains("the application has stopped writing");
        writing.destroy();
    }

    /** A format in a static field, in an application that is started again in the same process. */
    @Test
    void startsWhatAnEarlierContextHasStoppedWhenItEnded() {
        isWithdrawn = false;
        ValueWriting earlier = new ValueWriting(format, 1);
        earlier.afterSingletonsInstantiated();
        earlier.destroy();
        ValueWriting writing = new ValueWriting(format, 1);
        writing.afterSingletonsInstantiated();
        assertThat(format.isWriting()).isTrue();
        writing.destroy();
    }

    @Test
    void whatTheApplicationHasStartedAgainIsNotSaidToBeStopped() {
        ValueWriting writing = new ValueWriting(format, 100_000);
        writing.afterSingletonsInstantiated();
        isWithdrawn = false;
        format.startWriting();
        Map<String, Object> details =
                new ValueHealth(Map.of("format", format), Optional.empty(), Optional.of(writing), List.of()).details();
        assertThat(details).containsEntry("writing", true).doesNotContainKey("preventedBy");
        writing.destroy();
    }
}
