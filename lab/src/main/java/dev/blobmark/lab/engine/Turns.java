package dev.blobmark.lab.engine;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;

/** Where the workers of a trial that stays open wait between its visits. */
final class Turns {

    private final List<BlockingQueue<Optional<Turn>>> queues;

    Turns(int workers) {
        queues = Stream.<BlockingQueue<Optional<Turn>>>generate(LinkedBlockingQueue::new)
                .limit(workers)
                .toList();
    }

    /** Has all workers take a turn; returns when the last one has ended it. */
    void take(int round, long settleNanos, long nanos) throws InterruptedException {
        Turn turn = new Turn(round, settleNanos, nanos, queues.size());
        queues.forEach(queue -> queue.add(Optional.of(turn)));
        turn.left().await();
    }

    /** There will be no more. */
    void end() {
        queues.forEach(queue -> queue.add(Optional.empty()));
    }

    /**
     * Waits for a worker's next turn; empty when there are no more.
     *
     * @param worker from 0, among those of this process
     */
    Optional<Turn> next(int worker) throws InterruptedException {
        return queues.get(worker).take();
    }
}
