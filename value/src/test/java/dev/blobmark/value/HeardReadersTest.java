package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.value.HeardReaders.Row;
import dev.blobmark.value.ReaderRegistry.Reader;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

    /** They cannot be looked for one by one, and each may be a live reader. */
    @Test
    void rowsThatWereNotReadAreRememberedAndNotLookedFor() {
        HeardReaders heard = HeardReaders.NONE.next(List.of(Row.ofOthers("others")), List.of(), NOW);
        assertThat(names(heard)).containsExactly("others");
        assertThat(heard.missing(List.of())).isEmpty();
        assertThat(names(heard.next(List.of(), List.of(), NOW))).containsExactly("others");
    }

    /** The clock of this machine, as the server's, may be set forward: the readers are there all the same. */
    @Test
    void aTimeOfDayThatIsSetForwardHidesNobody() {
        Elapsed beforeTheStep = new Elapsed(
                NOW.atNanos(), NOW.atMillis() - Duration.ofMinutes(10).toMillis());
        HeardReaders heard = HeardReaders.NONE.next(List.of(row("a", 100)), List.of(), beforeTheStep);
        assertThat(heard.missing(List.of())).containsExactly("a");
    }

    @Test
    void aRowWithoutAnIdIsRememberedToo() {
        HeardReaders heard = HeardReaders.NONE.next(List.of(row("", 100)), List.of(), NOW);
        assertThat(heard.missing(List.of())).containsExactly("");
    }

    @Test
    void noMoreReadersAreRememberedThanTheTableMayHaveTwice() {
        HeardReaders heard = HeardReaders.NONE;
        for (int look = 0; look < 3; look++) {
            String prefix = "look " + look + ", ";
            heard = heard.next(
                    IntStream.range(0, 9_000)
                            .mapToObj(i -> row(prefix + i, 100))
                            .toList(),
                    List.of(),
                    NOW);
        }
        assertThat(heard.readers()).hasSize(2 * ReaderRegistry.MOST_READERS + 1);
        assertThat(names(heard)).contains("more than 20000 readers or their dictionaries in five minutes");
        // who is not remembered may still read
        assertThat(names(heard.next(List.of(), List.of(), NOW)))
                .contains("more than 20000 readers or their dictionaries in five minutes");
    }

    /** Each look finds others, whose lists are as long as they may be. */
    @Test
    void noMoreDictionariesAreRememberedThanTheTableMayHaveTwice() {
        Set<Integer> many = IntStream.range(0, 9_000).boxed().collect(Collectors.toSet());
        HeardReaders heard = HeardReaders.NONE;
        for (int look = 0; look < 5; look++) {
            String prefix = "look " + look + ", ";
            heard = heard.next(
                    IntStream.range(0, 60)
                            .mapToObj(i -> new Row(prefix + i, 100, new Reader(prefix + i, 1, Set.of(), many)))
                            .toList(),
                    List.of(),
                    NOW);
        }
        assertThat(heard.readers()).hasSize(133 + 1);
        assertThat(names(heard)).contains("more than 20000 readers or their dictionaries in five minutes");
    }

    @Test
    void twoLooksAtTheSameTimeForgetNobody() {
        HeardReaders one = HeardReaders.NONE.next(List.of(row("a", 100)), List.of(), NOW);
        HeardReaders other = HeardReaders.NONE.next(List.of(row("b", 100)), List.of(), NOW);
        assertThat(names(one.with(other, NOW))).containsExactly("a", "b");
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
