package dev.blobmark.lab.engine;

import dev.blobmark.lab.plan.Seeds;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.workload.Workload;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** The rows that operations work on, one after another. */
interface RowOrder {

    int next();

    /** Numbers of operations that make rows: dealt out to the workers of a process, and different from those of the others. */
    record NewRows(Share share, AtomicInteger given) implements RowOrder {

        NewRows(Share share) {
            this(share, new AtomicInteger());
        }

        @Override
        public int next() {
            int own = given.getAndIncrement();
            return own / share.count() * share.total() + share.first() + own % share.count();
        }
    }

    /** The rows of a table in an order drawn for all processes of the trial, each once; then over again. */
    record EachOnce(int[] order, NewRows numbers) implements RowOrder {

        /** A part of a trial's seed; {@link TrialRun} has others. */
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

    /** Rows that all workers of a process share, where they do not draw them. */
    record Shared(Optional<RowOrder> warmUp, Optional<RowOrder> window) {

        static Shared of(TrialSpec spec) {
            if (spec.workload().start() == Workload.Start.EMPTY) {
                return new Shared(Optional.of(new NewRows(spec.share())), Optional.of(new NewRows(spec.share())));
            }
            return new Shared(
                    Optional.empty(), spec.setup().isCold() ? Optional.of(EachOnce.of(spec)) : Optional.empty());
        }
    }
}
