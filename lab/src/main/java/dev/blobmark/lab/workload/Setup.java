package dev.blobmark.lab.workload;

import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Levels;

/**
 * What a trial's operations work on.
 *
 * @param levels the trial's effective levels
 * @param values the values as stored, for loading and checking; as they are for workloads without a table
 * @param endpoint null without a table
 * @param schema null without a table
 * @param table null without a table
 * @param seed of this trial in this round, the same for all its processes
 * @param isRunIn whether nothing is measured: what is inserted then stays off the table, and clear of the warm-up's keys
 */
public record Setup(
        Levels levels,
        EncodedValues values,
        Endpoint endpoint,
        String schema,
        String table,
        long seed,
        boolean isRunIn) {

    /** Of a trial that is measured, and that nothing is drawn for. */
    public Setup(Levels levels, EncodedValues values, Endpoint endpoint, String schema, String table) {
        this(levels, values, endpoint, schema, table, 0, false);
    }

    /** The same, to be run in. */
    public Setup runIn() {
        return new Setup(levels, values, endpoint, schema, table, seed, true);
    }

    /** The table that rows go to while a trial that begins with an empty one warms up: it is made alike. */
    public static String warmUpTable(String table) {
        return "w" + table.substring(1);
    }
}
