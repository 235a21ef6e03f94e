package dev.blobmark.lab.survey;

import java.util.List;

/**
 * What a survey reads.
 *
 * @param minTableBytes of a table's data; smaller tables are left out
 * @param schemas to survey; all if empty, without those of the server itself
 * @param exclude schemas, and tables as {@code SCHEMA.TABLE}, to leave out
 * @param maxReadBytes of all values that the server reads; the last column may exceed it
 * @param statementMillis the time after which the server ends a statement that reads a table
 * @param seed of the positions that are read
 */
public record SurveyOptions(
        long minTableBytes,
        List<String> schemas,
        List<String> exclude,
        long maxReadBytes,
        int statementMillis,
        long seed) {

    public SurveyOptions {
        schemas = List.copyOf(schemas);
        exclude = List.copyOf(exclude);
    }

    /** The same, with another limit of the bytes that are read. */
    public SurveyOptions withMaxRead(long bytes) {
        return new SurveyOptions(minTableBytes, schemas, exclude, bytes, statementMillis, seed);
    }
}
