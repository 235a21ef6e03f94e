package dev.blobmark.lab.run;

import dev.blobmark.lab.measurement.Amounts;
import java.time.Instant;
import java.util.Objects;

/**
 * The position of a sample in its run.
 *
 * @param block number of the block, from 0
 * @param fork number of the fork within the block, from 0
 * @param round number of the round within the block, from 0; a trial has one sample per block and round
 * @param startedAt start of the measured window
 */
public record Position(int block, int fork, int round, Instant startedAt) {

    public Position {
        Objects.requireNonNull(startedAt, "started_at");
        Amounts.require(block >= 0 && fork >= 0 && round >= 0, "block, fork and round are numbered from 0");
    }
}
