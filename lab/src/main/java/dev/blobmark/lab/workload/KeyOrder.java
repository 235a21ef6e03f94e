package dev.blobmark.lab.workload;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The rows of a set in a random order, each once; then again in another order, and so on. The workers of a process take
 * the next rows of one order. All processes of a trial have the same order, and each place of it belongs to one
 * process, in proportion to its workers.
 */
public final class KeyOrder {

    /** The orders of a process. They differ, and the window's does not depend on the length of the warm-up. */
    public record Both(KeyOrder warmUp, KeyOrder window) {

        static Both of(int rows, long seed, int first, int count, int total) {
            SplittableRandom seeds = new SplittableRandom(seed);
            return new Both(
                    new KeyOrder(rows, seeds.nextLong(), first, count, total),
                    new KeyOrder(rows, seeds.nextLong(), first, count, total));
        }
    }

    private final int rows;
    private final long seed;
    private final int first;
    private final int count;
    private final int total;
    private final AtomicLong taken = new AtomicLong();

    /**
     * @param rows of the set, 1 or more
     * @param seed the same in all processes
     * @param first number of the first worker of the process
     * @param count number of workers of the process
     * @param total number of workers of all processes
     */
    KeyOrder(int rows, long seed, int first, int count, int total) {
        this.rows = rows;
        this.seed = seed;
        this.first = first;
        this.count = count;
        this.total = total;
    }

    /**
     * The number of different rows that the process can take one after another, in any place of the order; at least 1.
     */
    int rowsOfProcess() {
        return (int) Math.max(1, (long) (rows / total) * count);
    }

    /** The place of the row that the process takes next after this number of rows, in all passes together. */
    private long place(long number) {
        return number / count * total + first + number % count;
    }

    /** Takes rows for one worker or slot. It is used by one thread at a time. */
    final class Cursor {

        private long pass = -1;
        private Shuffle shuffle;

        /**
         * Takes the next rows.
         *
         * @param into receives them
         * @param wanted for each element of {@code into} whether to replace it by a row
         * @param number how many are wanted
         * @return whether the rows are of several passes, so that one may occur twice
         */
        boolean take(int[] into, boolean[] wanted, int number) {
            if (number == 0) {
                return false;
            }
            long next = taken.getAndAdd(number);
            boolean isOfSeveral = place(next) / rows != place(next + number - 1) / rows;
            for (int i = 0; i < into.length; i++) {
                if (wanted[i]) {
                    into[i] = row(place(next));
                    next++;
                }
            }
            return isOfSeveral;
        }

        private int row(long place) {
            long passOfPlace = place / rows;
            if (passOfPlace != pass) {
                pass = passOfPlace;
                shuffle = new Shuffle(rows, seed + pass);
            }
            return shuffle.at((int) (place % rows));
        }
    }
}
