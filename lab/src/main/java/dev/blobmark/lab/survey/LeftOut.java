package dev.blobmark.lab.survey;

import java.util.Optional;

/**
 * A schema, a table or a column that a survey leaves out.
 *
 * @param table empty for a whole schema
 * @param column empty for a whole table
 */
public record LeftOut(String schema, Optional<String> table, Optional<String> column, String reason) {}
