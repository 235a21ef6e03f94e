package dev.blobmark.mysql.table;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A column of a user's own table. */
public final class TableColumn {

    /** The longest value of a sample, in bytes: the most that a {@code MEDIUMBLOB} holds. */
    public static final int MAX_BYTES = (1 << 24) - 1;

    private static final String NAME = "([^.`]+|`(?:[^`]|``)+`)";
    private static final Pattern FORM = Pattern.compile(NAME + "\\." + NAME + "\\." + NAME);

    private final String name;
    private final String schema;
    private final String table;
    private final String column;

    /**
     * The location of a value in the file of a sample.
     *
     * @param bytes in the file
     * @param length in the table: more if the value was cut
     */
    public record Row(long offset, int bytes, long length) {}

    /**
     * Rows that one statement has read. Its values follow those of the range before it.
     *
     * @param rows with and without a value, each row once
     * @param bytes of all rows, whether they were taken, cut or skipped
     */
    public record KeyRange(int rows, int values, long bytes) {}

    /**
     * The values that were read from the column.
     *
     * @param file the values, one after another
     * @param rows at least one
     * @param ranges of the key that were read
     * @param skipped number of rows that were read and left out, by reason
     * @param origin figures about the sampling, for the manifest
     * @param type of the column as a level of the factor {@code column}; not an existing level if it cannot be measured
     * @param whole all rows of the table
     */
    public record Sample(
            Path file,
            List<Row> rows,
            List<KeyRange> ranges,
            Map<String, Integer> skipped,
            SortedMap<String, Long> origin,
            String type,
            Whole whole) {

        public Sample {
            rows = List.copyOf(rows);
            ranges = List.copyOf(ranges);
            skipped = Map.copyOf(skipped);
        }
    }

    private TableColumn(String name, Matcher form) {
        this.name = name;
        schema = unquoted(form.group(1));
        table = unquoted(form.group(2));
        column = unquoted(form.group(3));
    }

    /** Whether a text has the form SCHEMA.TABLE.COLUMN. */
    public static boolean isColumn(String text) {
        return FORM.matcher(text).matches();
    }

    /**
     * The column with a name.
     *
     * @param name {@code SCHEMA.TABLE.COLUMN}; a part that contains a dot is in backquotes
     * @throws IllegalArgumentException if it has another form
     */
    public static TableColumn named(String name) {
        Matcher form = FORM.matcher(name);
        if (!form.matches()) {
            throw new IllegalArgumentException("'" + name + "' is not the name of a column; write SCHEMA.TABLE.COLUMN,"
                    + " with backquotes around a part that contains a dot");
        }
        return new TableColumn(name, form);
    }

    /** The column of a table, whatever characters the names have. */
    public static TableColumn of(String schema, String table, String column) {
        return named(quoted(schema) + "." + quoted(table) + "." + quoted(column));
    }

    private static String quoted(String part) {
        return part.matches("[^.`]+") ? part : "`" + part.replace("`", "``") + "`";
    }

    /** {@code SCHEMA.TABLE.COLUMN}, as {@code --data} takes it. */
    public String name() {
        return name;
    }

    private static String unquoted(String part) {
        return part.startsWith("`") ? part.substring(1, part.length() - 1).replace("``", "`") : part;
    }

    public String schema() {
        return schema;
    }

    public String table() {
        return table;
    }

    public String column() {
        return column;
    }

    /** An exception about this column. */
    public DatasetException problem(String reason, String remedy) {
        return new DatasetException(this, reason, remedy);
    }

    /** As it is named where values come from. */
    @Override
    public String toString() {
        return "table:" + name;
    }
}
