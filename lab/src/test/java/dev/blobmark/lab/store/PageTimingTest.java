package dev.blobmark.lab.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.lab.store.PageTiming.PageCounters;
import dev.blobmark.mysql.client.UnavailableException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PageTimingTest {

    private static final long PICOS = 1_000;

    /**
     * Counters of a server that takes a time for each page, after parts of 100 pages.
     *
     * @param readNanos of the pages of odd and of even parts
     * @param started what it has counted of reads before
     */
    private static List<PageCounters> counters(long inflateNanos, long[] readNanos, long started) {
        List<PageCounters> counters = new ArrayList<>();
        counters.add(new PageCounters(started, started * PICOS, 0, 0));
        for (long part = 1; counters.get(counters.size() - 1).seconds() == 0; part++) {
            PageCounters before = counters.get(counters.size() - 1);
            counters.add(new PageCounters(
                    before.reads() + 100,
                    before.readPicos() + 100 * PICOS * readNanos[(int) (part % readNanos.length)],
                    100 * part,
                    100 * part * inflateNanos / 1_000_000_000));
        }
        return counters;
    }

    @Test
    void wholeSecondsGiveTheTimeOfAPageWithinTheKnownError() throws Exception {
        for (long inflateNanos : new long[] {7_310, 40_000, 99_990}) {
            PageTimes times = PageTiming.of(counters(inflateNanos, new long[] {120_000}, 7));

            assertThat(times.inflateNanos()).isEqualTo(inflateNanos, within(times.inflateErrorNanos()));
            assertThat(times.inflateErrorNanos()).isPositive().isLessThan(inflateNanos * 0.01);
            assertThat(times.readNanos()).isEqualTo(120_000);
            assertThat(times.readErrorNanos()).isZero();
            assertThat(times.pagesRead()).isEqualTo(times.pagesInflated());
            assertThat(times.ratio()).isEqualTo(120_000 / times.inflateNanos());
        }
    }

    @Test
    void theErrorOfReadingIsThatOfTheMeanOfItsParts() throws Exception {
        PageTimes times = PageTiming.of(counters(100_000, new long[] {90_000, 110_000}, 0));

        int parts = 100;
        assertThat(times.readNanos()).isEqualTo(100_000);
        assertThat(times.readErrorNanos()).isEqualTo(10_000 / Math.sqrt(parts - 1), within(1e-6));
    }

    @Test
    void tooFewPagesAreNotJudged() {
        PageCounters begin = new PageCounters(5, 5, 0, 0);

        assertThatThrownBy(() -> PageTiming.of(List.of(begin, new PageCounters(5, 5, 90, 1))))
                .isInstanceOf(UnavailableException.class)
                .hasMessage("the server read no page of the table's file");
        assertThatThrownBy(() -> PageTiming.of(List.of(begin, new PageCounters(9, 9, 90, 0))))
                .isInstanceOf(UnavailableException.class)
                .hasMessage("the server inflated 90 pages in less than a second");
        assertThatThrownBy(() -> PageTiming.of(List.of(begin, new PageCounters(9, 9, 90, 1))))
                .isInstanceOf(UnavailableException.class)
                .hasMessage("the server inflated all 90 pages in one part of the scan");
    }
}
