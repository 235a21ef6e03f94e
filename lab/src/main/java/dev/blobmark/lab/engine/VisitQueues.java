package dev.blobmark.lab.engine;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;

/** The queues in which the workers of an open trial wait for its visits. */
final class VisitQueues {

    private final List<BlockingQueue<Optional<Visit>>> queues;

    VisitQueues(int workers) {
        queues = Stream.<BlockingQueue<Optional<Visit>>>generate(LinkedBlockingQueue::new)
                .limit(workers)
                .toList();
    }

    /** Gives a visit to all workers; returns when the last one has ended it. */
    void run(int round, long settleNanos, long nanos) throws InterruptedException {
        Visit visit = new Visit(round, settleNanos, nanos, queues.size());
        queues.forEach(queue -> queue.add(Optional.of(visit)));
        visit.running().await();
    }

    /** Ends the queues: there are no more visits. */
    void end() {
        queues.forEach(queue -> queue.add(Optional.empty()));
    }

    /**
     * Waits for a worker's next visit; empty if there are no more.
     *
     * @param worker number of the worker among those of this process, from 0
     */
    Optional<Visit> next(int worker) throws InterruptedException {
        return queues.get(worker).take();
    }
}
