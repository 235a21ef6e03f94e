package dev.blobmark.lab.stats;

/**
 * What one round of a trial measured, in any unit of measurement.
 *
 * @param block number of the block
 * @param fork the JVM that measured it; the pass, where blocks are repeated
 * @param round the pass over the block's trials
 * @param value positive and finite, as effects are ratios
 */
public record Figure(int block, int fork, int round, double value) {

    public Figure {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(
                    "block " + block + ", fork " + fork + ", round " + round + ": " + value
                            + " has no ratio to other figures; give positive, finite figures, and leave out rounds that have none");
        }
    }
}
