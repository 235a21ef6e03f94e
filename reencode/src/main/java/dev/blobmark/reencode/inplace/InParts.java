package dev.blobmark.reencode.inplace;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.checkpoint.ChangedTableException;
import dev.blobmark.reencode.checkpoint.Counts;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.throttle.Budget;
import dev.blobmark.reencode.throttle.Throttle;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Changes rows where they are by several writers at the same time. The rows are divided by keys into more parts than
 * there are writers. Each part is changed by one writer, in the order of the key, and has a state of its own. The
 * thread that works directs the writers: it asks all signals, and grants each of them a {@link Budget}.
 */
public final class InParts {

    /** How long a transaction may take after a failure. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final TableColumn column;
    private final StateTable states;
    private final Connection locking;
    private final Throttle throttle;
    private final PartWriter.Opening opening;
    private final int writers;
    private final String owner = UUID.randomUUID().toString();
    private final Queue<Integer> left = new ConcurrentLinkedQueue<>();
    private final List<PartWriter> working = new CopyOnWriteArrayList<>();

    /** What was done, by part. */
    private Counts[] counts = {};

    private volatile Throwable failure;
    private long failedNanos;

    /** @param locking the connection that has the lock of the change, used by the thread that works */
    public InParts(
            TableColumn column,
            StateTable states,
            Connection locking,
            Throttle throttle,
            PartWriter.Opening opening,
            int writers) {
        this.column = column;
        this.states = states;
        this.locking = locking;
        this.throttle = throttle;
        this.opening = opening;
        this.writers = writers;
    }

    /**
     * Changes all parts.
     *
     * @return the state after the last row
     * @throws StoppedException if the throttle ends the work; what was committed stays
     * @throws IOException if a process of another host cannot be started
     * @throws ChangedTableException if it has another table at the end than at the beginning
     */
    public State run(State begin, InPlace.Listener listener) throws SQLException, IOException {
        counts = new Counts[begin.parts()];
        for (int i = 0; i < counts.length; i++) {
            StateTable of = states.ownedBy(owner).part(i);
            of.takeOver(locking); // a writer that is cut off, but still alive, cannot commit any more
            State part = begin.continued(i, of.read(locking));
            counts[i] = part.counts();
            if (part.isUnderWay()) {
                of.own(locking, part);
                left.add(i);
            }
        }
        direct(begin, listener);
        ChangedTableException.check(locking, column, begin);
        State ended = begin.counted(List.of(counts)).ended();
        states.write(locking, ended);
        return ended;
    }

    private void direct(State begin, InPlace.Listener listener) throws SQLException, IOException {
        int running = Math.min(writers, left.size());
        ExecutorService pool = Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "reencode-writer");
            thread.setDaemon(true);
            return thread;
        });
        CompletionService<Void> ended = new ExecutorCompletionService<>(pool);
        for (int i = 0; i < running; i++) {
            ended.submit(() -> {
                write(begin, listener);
                return null;
            });
        }
        pool.shutdown();
        while (running > 0) {
            grant(running);
            try {
                Future<Void> one = ended.poll(Budget.PERIOD_NANOS, TimeUnit.NANOSECONDS);
                if (one != null) {
                    running--;
                    one.get();
                }
            } catch (ExecutionException e) {
                fail(e.getCause());
            } catch (InterruptedException e) {
                fail(new StoppedException("interrupted"));
            }
        }
        if (failure instanceof SQLException sql) {
            throw sql;
        }
        if (failure instanceof IOException io) {
            throw io;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure;
        }
    }

    private void grant(int running) {
        Budget budget = Budget.END;
        if (failure == null) {
            try {
                budget = throttle.budget(running);
            } catch (RuntimeException e) {
                fail(e);
            }
        } else if (System.nanoTime() - failedNanos > PATIENCE_NANOS) {
            working.forEach(PartWriter::abort);
        }
        for (PartWriter writer : working) {
            writer.grant(budget);
        }
    }

    /** The others end after their transactions. What they say then is not the reason. */
    private void fail(Throwable e) {
        if (failure == null) {
            failedNanos = System.nanoTime();
            failure = e;
        } else if (failure instanceof StoppedException) {
            failure = e;
        }
    }

    /** A writer: takes one part after another. */
    private void write(State begin, InPlace.Listener listener) throws SQLException, IOException {
        try (PartWriter writer = opening.open()) {
            working.add(writer);
            for (Integer part = left.poll(); part != null && failure == null; part = left.poll()) {
                int number = part;
                writer.write(number, owner, new PartWriter.Listener() {
                    @Override
                    public void committed(Counts done) {
                        synchronized (InParts.this) {
                            counts[number] = done;
                            listener.committed(begin.counted(List.of(counts)));
                        }
                    }

                    @Override
                    public void repeated(String reason) {
                        synchronized (InParts.this) {
                            listener.repeated(reason);
                        }
                    }
                });
            }
        }
    }
}
