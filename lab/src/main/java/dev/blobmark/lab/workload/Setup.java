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
 */
public record Setup(Levels levels, EncodedValues values, Endpoint endpoint, String schema, String table) {}
