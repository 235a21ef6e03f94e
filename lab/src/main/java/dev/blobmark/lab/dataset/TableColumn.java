package dev.blobmark.lab.dataset;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The values of a column of a user's own table, text or bytes: a sample that is read from its server into a private
 * file once, before a run. Nothing is written to the server.
 */
public final class TableColumn implements Dataset {

    /** The longest value of a sample. */
    public static final int MAX_BYTES = OwnValues.MAX_BYTES;

    private static final String NAME = "([^.`]+|`(?:[^`]|``)+`)";
    private static final Pattern FORM = Pattern.compile(NAME + "\\." + NAME + "\\." + NAME);

    private final String name;
    private final String schema;
    private final String table;
    private final String column;
    private final Optional<Sample> sample;

    /**
     * The location of a value in the file of a sample.
     *
     * @param bytes in the file
     * @param length in the table: more if the value was cut
     */
    public record Row(long offset, int bytes, long length) implements OwnValues.Located {}

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

    /**
     * @param name schema, table and column, separated by dots; a part that contains a dot is in backquotes, and
     *     backquotes in it are doubled
     */
    TableColumn(String name) {
        this(name, Optional.empty());
    }

    private TableColumn(String name, Optional<Sample> sample) {
        Matcher form = FORM.matcher(name);
        if (!form.matches()) {
            throw new IllegalArgumentException("'table:" + name + "' is not the name of a column; write"
                    + " table:SCHEMA.TABLE.COLUMN, with backquotes around a part that contains a dot");
        }
        this.name = name;
        this.sample = sample;
        schema = unquoted(form.group(1));
        table = unquoted(form.group(2));
        column = unquoted(form.group(3));
    }

    /** Whether a text has the form SCHEMA.TABLE.COLUMN. */
    static boolean isColumn(String text) {
        return FORM.matcher(text).matches();
    }

    /**
     * The column with a name.
     *
     * @param name {@code SCHEMA.TABLE.COLUMN}; a part that contains a dot is in backquotes
     * @throws IllegalArgumentException if it has another form
     */
    public static TableColumn named(String name) {
        if (!isColumn(name)) {
            throw new IllegalArgumentException("'" + name + "' is not the name of a column; write SCHEMA.TABLE.COLUMN,"
                    + " with backquotes around a part that contains a dot");
        }
        return new TableColumn(name);
    }

    /** The column of a table, whatever characters the names have. */
    public static TableColumn of(String schema, String table, String column) {
        return new TableColumn(quoted(schema) + "." + quoted(table) + "." + quoted(column));
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

    /** This column with the values that were read from it. */
    public TableColumn with(Sample read) {
        return new TableColumn(name, Optional.of(read));
    }

    @Override
    public String id() {
        return "table:" + name;
    }

    @Override
    public boolean hasSize() {
        return false;
    }

    @Override
    public boolean isPrivate() {
        return true;
    }

    /** Empty until a sample has been read. */
    @Override
    public Optional<String> nativeColumn() {
        return sample.map(Sample::type);
    }

    /** @throws DatasetException if no values have been read */
    @Override
    public Values values(int size, long seed) {
        return new SampledValues(sample.orElseThrow(() -> new DatasetException(
                id(),
                "its values have not been read",
                "name the running server that has the table with --data-server")));
    }

    /** An exception about this column. */
    public DatasetException problem(String reason, String remedy) {
        return new DatasetException(id(), reason, remedy);
    }

    @Override
    public String toString() {
        return id();
    }

    private final class SampledValues extends OwnValues<Row> {

        private final Sample read;

        SampledValues(Sample read) {
            super(TableColumn.this, read.rows, read.skipped);
            this.read = read;
        }

        @Override
        byte[] read(Row row) throws IOException {
            byte[] value = new byte[row.bytes];
            try (RandomAccessFile in = new RandomAccessFile(read.file.toFile(), "r")) {
                in.seek(row.offset);
                in.readFully(value);
            }
            return value;
        }

        @Override
        public SortedMap<String, Long> origin() {
            return read.origin;
        }

        @Override
        public Optional<Whole> whole() {
            return Optional.of(read.whole);
        }

        @Override
        public String name(int index) {
            return "value " + index + " of " + TableColumn.this;
        }
    }
}
