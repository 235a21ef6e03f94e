package dev.blobmark.lab.dataset;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The values of a column of a user's own table, as text or bytes: a sample that is read from its server once, before a run, into a
 * private file. The server is only read.
 */
public final class TableColumn implements Dataset {

    /** The most values of a sample. */
    public static final int MAX_ROWS = OwnValues.MAX_COUNT;

    /** The most bytes of a sample: a user's server is asked for less than a disk is. */
    public static final long MAX_TOTAL_BYTES = 256L << 20;

    /** The longest value that is taken. */
    public static final int MAX_BYTES = OwnValues.MAX_BYTES;

    private static final String NAME = "([^.`]+|`(?:[^`]|``)+`)";
    private static final Pattern FORM = Pattern.compile(NAME + "\\." + NAME + "\\." + NAME);

    private final String words;
    private final String schema;
    private final String table;
    private final String column;
    private final Optional<Sample> sample;

    /** Where a value lies in the file of a sample. */
    public record Row(long offset, int bytes) implements OwnValues.Located {}

    /**
     * What was read of the column.
     *
     * @param file the values, one after another
     * @param rows at least one
     * @param skipped rows that were met but have no value to take, by reason
     * @param origin how they were obtained, for the manifest
     * @param type of the column, as a level of the factor {@code column}; one that the factor does not have if it cannot be measured
     * @param whole all rows
     */
    public record Sample(
            Path file,
            List<Row> rows,
            Map<String, Integer> skipped,
            SortedMap<String, Long> origin,
            String type,
            Whole whole) {

        public Sample {
            rows = List.copyOf(rows);
            skipped = Map.copyOf(skipped);
        }
    }

    /** @param words schema, table and column with points between them; a name that has a point itself stands in backquotes, and a
     *     backquote in it is doubled */
    TableColumn(String words) {
        this(words, Optional.empty());
    }

    private TableColumn(String words, Optional<Sample> sample) {
        Matcher form = FORM.matcher(words);
        if (!form.matches()) {
            throw new IllegalArgumentException("'table:" + words + "' names no column; write table:SCHEMA.TABLE.COLUMN,"
                    + " and a name that has a point itself in backquotes");
        }
        this.words = words;
        this.sample = sample;
        schema = bare(form.group(1));
        table = bare(form.group(2));
        column = bare(form.group(3));
    }

    /** Whether a text has the form of schema, table and column. */
    static boolean isColumn(String words) {
        return FORM.matcher(words).matches();
    }

    private static String bare(String name) {
        return name.startsWith("`") ? name.substring(1, name.length() - 1).replace("``", "`") : name;
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

    /** The same column with the values that were read of it. */
    public TableColumn with(Sample read) {
        return new TableColumn(words, Optional.of(read));
    }

    @Override
    public String id() {
        return "table:" + words;
    }

    @Override
    public boolean hasSize() {
        return false;
    }

    @Override
    public boolean isPrivate() {
        return true;
    }

    /** Known once a sample has been read. */
    @Override
    public Optional<String> nativeColumn() {
        return sample.map(Sample::type);
    }

    /** @throws DatasetException if nothing has been read of it */
    @Override
    public Values values(int size, long seed) {
        return new Filed(sample.orElseThrow(() -> new DatasetException(
                id(),
                "its values have not been read",
                "name the running server that has the table, by --data-server")));
    }

    /** What keeps the values from being read, with the mend. */
    public DatasetException problem(String reason, String mend) {
        return new DatasetException(id(), reason, mend);
    }

    @Override
    public String toString() {
        return id();
    }

    private final class Filed extends OwnValues<Row> {

        private final Sample read;

        Filed(Sample read) {
            super(TableColumn.this, read.rows, 0, Comparator.comparing(Row::offset), new TreeMap<>(read.skipped));
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
