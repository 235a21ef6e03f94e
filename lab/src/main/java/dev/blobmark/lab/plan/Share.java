package dev.blobmark.lab.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * The workers of a trial that run in one of its processes. The random choices of a worker depend on its number among
 * all workers, so the number of processes does not change the rows that are read.
 *
 * @param first number of the first worker of the process, from 0
 * @param count number of workers of the process, 1 or more
 * @param total number of workers in all processes of the trial
 */
public record Share(int first, int count, int total) {

    public Share {
        if (first < 0 || count < 1 || count > total - first) {
            throw new IllegalArgumentException(
                    count + " workers from number " + first + " on are not a part of " + total + " workers");
        }
    }

    /** All workers in one process. */
    public static Share whole(int workers) {
        return new Share(0, workers, workers);
    }

    /** Distributes workers evenly; the first processes may have one more than the others. */
    public static List<Share> distribute(int workers, int processes) {
        List<Share> shares = new ArrayList<>();
        int first = 0;
        for (int process = 0; process < processes; process++) {
            int count = workers / processes + (process < workers % processes ? 1 : 0);
            shares.add(new Share(first, count, workers));
            first += count;
        }
        return shares;
    }
}
