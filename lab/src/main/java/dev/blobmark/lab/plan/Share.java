package dev.blobmark.lab.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * The workers of a trial that one of its processes runs. What a worker does hangs on its number among all, so that
 * dealing them out otherwise changes no row that is drawn and no operation that is counted.
 *
 * @param first number of the first one, from 0
 * @param count how many, 1 or more
 * @param all workers of the trial in all its processes
 */
public record Share(int first, int count, int all) {

    public Share {
        if (first < 0 || count < 1 || count > all - first) {
            throw new IllegalArgumentException(count + " workers from number " + first + " are no share of " + all);
        }
    }

    /** All workers in one process. */
    public static Share whole(int workers) {
        return new Share(0, workers, workers);
    }

    /** Workers dealt out evenly: where they do not divide, the first processes have one more. */
    public static List<Share> deal(int workers, int processes) {
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
