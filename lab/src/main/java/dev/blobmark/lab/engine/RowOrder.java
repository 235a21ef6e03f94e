package dev.blobmark.lab.engine;

import dev.blobmark.lab.plan.Seeds;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.workload.Workload;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** The sequence of rows that operations work on. */
interface RowOrder {

    int next();

    /**
     * Numbers for operations that insert rows. The workers of a process share them, and processes have different ones.
     */
    record NewRows(Share share, AtomicInteger issued) implements RowOrder {

        NewRows(Share share) {
            this(share, new AtomicInteger());
        }

        @Override
        public int next() {
            int number = issued.getAndIncrement();
            return number / share.count() * share.total() + share.first() + number % share.count();
        }
    }

    /** The rows of a table in a random order, each once; then again. All processes of the trial use the same order. */
    record EachOnce(int[] order, NewRows numbers) implements RowOrder {

        /** A part of a trial's seed; {@link WindowedTrial} has others. */
        private static final long WINDOW_ORDER = 3;

        static EachOnce of(TrialSpec spec) {
            int[] order = IntStream.range(0, spec.setup().windowRows()).toArray();
            SplittableRandom random = new SplittableRandom(Seeds.mix(spec.seed(), WINDOW_ORDER));
            for (int left = order.length; left > 1; left--) {
                int drawn = random.nextInt(left);
                int last = order[left - 1];
                order[left - 1] = order[drawn];
                order[drawn] = last;
            }
            return new EachOnce(order, new NewRows(spec.share()));
        }

        @Override
        public int next() {
            return order[numbers.next() % order.length];
        }
    }

    /**
     * What the workers of a process share.
     *
     * @param warmUp empty if each draws rows at random
     * @param window the same
     * @param warmUpTurns number of operations before the window that have begun
     * @param windowTurns the same of the window, or of all visits without what is before each
     */
    record Shared(
            Optional<RowOrder> warmUp, Optional<RowOrder> window, AtomicLong warmUpTurns, AtomicLong windowTurns) {

        private Shared(Optional<RowOrder> warmUp, Optional<RowOrder> window) {
            this(warmUp, window, new AtomicLong(), new AtomicLong());
        }

        static Shared of(TrialSpec spec) {
            if (spec.workload().start() == Workload.InitialTable.EMPTY) {
                return new Shared(Optional.of(new NewRows(spec.share())), Optional.of(new NewRows(spec.share())));
            }
            return new Shared(
                    Optional.empty(), spec.setup().isCold() ? Optional.of(EachOnce.of(spec)) : Optional.empty());
        }
    }
}
