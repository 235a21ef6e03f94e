package dev.blobmark.lab.measurement;

import static dev.blobmark.lab.measurement.Amounts.requireAmount;

/** The run-in: how long it took, and whether the trial was steady at its end. */
public record WarmUp(double seconds, boolean steady) {

    public WarmUp {
        requireAmount("warmup.seconds", seconds);
    }
}
