package dev.blobmark.lab.survey;

import dev.blobmark.mysql.table.TableColumn;

/**
 * A column that may be worth compressing, as the server's catalog describes it.
 *
 * @param type as in a table definition: {@code mediumtext}
 * @param isText whether it holds text or JSON
 * @param tableRows as the server estimates
 * @param tableBytes of the table's data with all of its columns, as the server estimates
 * @param compression by which the server compresses it already; empty for none
 */
public record FoundColumn(
        String schema,
        String table,
        String column,
        String type,
        boolean isText,
        long tableRows,
        long tableBytes,
        String compression) {

    /** The column as a dataset. */
    public TableColumn dataset() {
        return TableColumn.of(schema, table, column);
    }
}
