package dev.blobmark.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyOrderTest {

    private static final int ROWS = 1_009;

    private static KeyOrder whole(int rows, long seed) {
        return new KeyOrder(rows, seed, 0, 1, 1);
    }

    /** The rows that some questions take, each with the same number. */
    private static List<Integer> take(KeyOrder order, int questions, int each) {
        KeyOrder.Cursor cursor = order.new Cursor();
        int[] into = new int[each];
        boolean[] wanted = new boolean[each];
        Arrays.fill(wanted, true);
        List<Integer> taken = new ArrayList<>();
        for (int question = 0; question < questions; question++) {
            cursor.take(into, wanted, each);
            IntStream.of(into).forEach(taken::add);
        }
        return taken;
    }

    private static List<Integer> all(int rows) {
        return IntStream.range(0, rows).boxed().toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 20})
    void eachPassHasAllRowsInAnotherOrder(int each) {
        List<Integer> taken = take(whole(ROWS, 42), 3 * ROWS, each);

        List<List<Integer>> passes = IntStream.range(0, 3)
                .mapToObj(pass -> taken.subList(pass * ROWS, (pass + 1) * ROWS))
                .toList();
        assertThat(passes)
                .doesNotHaveDuplicates()
                .allSatisfy(pass -> assertThat(pass).containsExactlyInAnyOrderElementsOf(all(ROWS)));
    }

    @Test
    void theOrderFollowsFromTheSeed() {
        assertThat(take(whole(ROWS, 1), 100, 1))
                .isEqualTo(take(whole(ROWS, 1), 100, 1))
                .isNotEqualTo(take(whole(ROWS, 2), 100, 1));
        KeyOrder.Both both = KeyOrder.Both.of(ROWS, 1, 0, 1, 1);
        assertThat(take(both.warmUp(), 100, 1)).isNotEqualTo(take(both.window(), 100, 1));
    }

    @Test
    void onlyTheWantedRowsAreReplaced() {
        KeyOrder order = whole(ROWS, 42);
        int[] into = {-1, -2, -3};

        assertThat(order.new Cursor().take(into, new boolean[] {true, false, true}, 2))
                .isFalse();

        assertThat(into[1]).isEqualTo(-2);
        assertThat(List.of(into[0], into[2])).isEqualTo(take(whole(ROWS, 42), 1, 2));
        order.new Cursor().take(into, new boolean[3], 0);
        assertThat(take(order, 1, 1)).isEqualTo(take(whole(ROWS, 42), 3, 1).subList(2, 3));
    }

    @Test
    void whetherRowsAreOfSeveralPassesIsKnown() {
        KeyOrder.Cursor cursor = whole(5, 42).new Cursor();
        boolean[] wanted = {true, true};
        List<Boolean> found = IntStream.range(0, 5)
                .mapToObj(question -> cursor.take(new int[2], wanted, 2))
                .toList();

        assertThat(found).containsExactly(false, false, true, false, false);
    }

    @Test
    void threadsTakeEachRowOnceTogether() throws Exception {
        KeyOrder order = whole(100_000, 42);
        List<Integer> taken = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(i -> new Thread(() -> taken.addAll(take(order, 5_000, 5))))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(taken.stream().sorted().toList()).isEqualTo(all(100_000));
    }

    /** With 3 of 5 workers, a process has three fifths of the places. */
    @ParameterizedTest
    @CsvSource({"1000, 5", "1009, 5", "1009, 2"})
    void noRowIsTakenByTwoProcesses(int rows, int workers) {
        int more = workers - workers / 2;
        int passes = workers; // so that each process has whole numbers of places
        List<Integer> one = take(new KeyOrder(rows, 42, 0, more, workers), rows * more, 1);
        List<Integer> other = take(new KeyOrder(rows, 42, more, workers - more, workers), rows * (workers - more), 1);

        int ownRows = rows / workers * more;
        assertThat(new KeyOrder(rows, 42, 0, more, workers).rowsOfProcess()).isEqualTo(ownRows);
        assertThat(one.subList(0, ownRows)).doesNotHaveDuplicates();
        List<Integer> first = new ArrayList<>(one.subList(0, ownRows));
        first.addAll(other.subList(0, rows / workers * (workers - more)));
        assertThat(first).doesNotHaveDuplicates();
        List<Integer> both = new ArrayList<>(one);
        both.addAll(other);
        assertThat(both.stream().sorted().toList())
                .isEqualTo(all(rows).stream()
                        .flatMap(row -> Collections.nCopies(passes, row).stream())
                        .toList());
    }
}
