package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.value.HeardReaders.Row;
import dev.blobmark.value.ReaderRegistry.Reader;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HeardReadersTest {

    private static final Elapsed NOW = Elapsed.fromNow();

    private static Row row(String id, long announced) {
        return new Row(id, announced, new Reader(id, 1, Set.of()));
    }

    private static Elapsed ago(Duration time) {
        return new Elapsed(NOW.atNanos() - time.toNanos(), NOW.atMillis() - time.toMillis());
    }

    private static List<String> names(HeardReaders heard) {
        return heard.readers().stream().map(Reader::name).toList();
    }

    @Test
    void aRowThatOnlyTheServersClockTakesForGoneIsLookedFor() {
        HeardReaders heard = HeardReaders.NONE.next(List.of(row("b", 100), row("a", 100)), List.of(), NOW);
        assertThat(names(heard)).containsExactly("a", "b");
        assertThat(heard.missing(List.of(row("a", 160)))).containsExactly("b");
        assertThat(names(heard.next(List.of(row("a", 160)), List.of(row("b", 100)), NOW)))
                .containsExactly("a", "b");
    }

    @Test
    void aReaderThatSaysThatItIsGoneDoesNotCount() {
        HeardReaders heard = HeardReaders.NONE.next(List.of(row("a", 100)), List.of(), NOW);
        Row gone = new Row("a", 50, new Reader("a", Row.GONE, Set.of()));
        assertThat(names(heard.next(List.of(), List.of(gone), NOW))).isEmpty();
        // one that is missing may have been lost
        assertThat(names(heard.next(List.of(), List.of(), NOW))).containsExactly("a");
    }

    @Test
    void rowsThatWereNotReadAreNotLookedFor() {
        HeardReaders heard = HeardReaders.NONE.next(List.of(Row.ofOthers("others")), List.of(), NOW);
        assertThat(names(heard)).containsExactly("others");
        assertThat(names(heard.next(List.of(), List.of(), NOW))).isEmpty();
    }

    /** The time is that since the row has changed, and not that since it was read. */
    @Test
    void aRowThatHasNotChangedForFiveMinutesIsGone() {
        HeardReaders heard = HeardReaders.NONE.next(List.of(row("a", 100)), List.of(), ago(Duration.ofMinutes(6)));
        assertThat(heard.missing(List.of())).isEmpty();
        heard = heard.next(List.of(row("a", 100)), List.of(), NOW);
        assertThat(heard.missing(List.of())).isEmpty();
        assertThat(names(heard.next(List.of(), List.of(row("a", 100)), NOW))).isEmpty();
        assertThat(names(heard.next(List.of(row("a", 100)), List.of(), NOW))).containsExactly("a");
        heard = heard.next(List.of(row("a", 160)), List.of(), NOW);
        assertThat(heard.missing(List.of())).containsExactly("a");
    }
}
