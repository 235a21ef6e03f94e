package dev.blobmark.lab.study;

import java.time.Duration;

/**
 * How often and how long trials are measured.
 *
 * @param rounds passes over all trials, 1 to 10,000, spread evenly over the forks
 * @param forks fresh JVMs, 1 to the number of rounds
 * @param warmUp the longest run-in of a trial after each of its rows has been read once
 * @param seed from which every random choice of the run is drawn
 */
public record Schedule(int rounds, int forks, Window window, Duration warmUp, long seed) {

    public Schedule {
        if (rounds < 1 || rounds > 10_000) {
            throw new IllegalArgumentException("rounds: " + rounds + " is not between 1 and 10000");
        }
        if (forks < 1 || forks > rounds) {
            throw new IllegalArgumentException("forks: " + forks + " is not between 1 and the number of rounds, "
                    + rounds + "; give more rounds or fewer forks");
        }
        if (warmUp.isNegative()) {
            throw new IllegalArgumentException("warm-up: " + warmUp + " is negative");
        }
    }
}
