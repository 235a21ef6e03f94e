package dev.blobmark.lab.dataset;

import dev.blobmark.mysql.table.DatasetException;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.Whole;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The values of a column of a user's own table, text or bytes: a sample that is read from its server into a private
 * file once, before a run. Nothing is written to the server.
 */
public final class TableValues implements Dataset {

    private final TableColumn column;
    private final Optional<TableColumn.Sample> sample;

    /**
     * Values that have not been read.
     *
     * @throws IllegalArgumentException if it is not the name of a column
     */
    TableValues(String name) {
        this(column(name), Optional.empty());
    }

    private TableValues(TableColumn column, Optional<TableColumn.Sample> sample) {
        this.column = column;
        this.sample = sample;
    }

    private static TableColumn column(String name) {
        if (!TableColumn.isColumn(name)) {
            throw new IllegalArgumentException("'table:" + name + "' is not the name of a column; write"
                    + " table:SCHEMA.TABLE.COLUMN, with backquotes around a part that contains a dot");
        }
        return TableColumn.named(name);
    }

    public TableColumn column() {
        return column;
    }

    /** The same column with the values that were read from it. */
    public TableValues with(TableColumn.Sample read) {
        return new TableValues(column, Optional.of(read));
    }

    @Override
    public String id() {
        return column.toString();
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
        return sample.map(TableColumn.Sample::type);
    }

    /** @throws DatasetException if no values have been read */
    @Override
    public Values values(int size, long seed) {
        return new SampledValues(sample.orElseThrow(() -> column.problem(
                "its values have not been read", "name the running server that has the table with --data-server")));
    }

    @Override
    public String toString() {
        return id();
    }

    private record InFile(TableColumn.Row row) implements OwnValues.Located {
        @Override
        public int bytes() {
            return row.bytes();
        }
    }

    private final class SampledValues extends OwnValues<InFile> {

        private final TableColumn.Sample read;

        SampledValues(TableColumn.Sample read) {
            super(TableValues.this, read.rows().stream().map(InFile::new).toList(), read.skipped());
            this.read = read;
        }

        @Override
        byte[] read(InFile found) throws IOException {
            byte[] value = new byte[found.bytes()];
            try (RandomAccessFile in = new RandomAccessFile(read.file().toFile(), "r")) {
                in.seek(found.row().offset());
                in.readFully(value);
            }
            return value;
        }

        @Override
        public SortedMap<String, Long> origin() {
            return read.origin();
        }

        @Override
        public Optional<Whole> whole() {
            return Optional.of(read.whole());
        }

        @Override
        public String name(int index) {
            return "value " + index + " of " + column;
        }
    }
}
