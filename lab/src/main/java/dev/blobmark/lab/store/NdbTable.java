package dev.blobmark.lab.store;

import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.client.UnavailableException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A table of values in the memory of a cluster's data nodes. */
final class NdbTable extends MySqlTable {

    /**
     * A row has up to 30,000 bytes: 4 for the key, 2 for the value's length. With 9.7.4, one byte more is error 1005.
     */
    static final int MAX_VARBINARY = 29_994;

    private final Column column;

    /** @param column fitted to the values that will be loaded, see {@link #column} */
    NdbTable(Connection connection, String schema, String name, Layout layout, Column column) {
        super(connection, schema, name, layout, column);
        this.column = column;
    }

    /**
     * The column in a cluster for these values.
     *
     * @throws UnavailableException if a value of a type without parts does not fit into a row
     */
    static Column column(Column column, Inline inline, EncodedValues values) throws SQLException {
        requireRow(column, values);
        return column.fitted(values).inline(inline, values.maxStoredLength());
    }

    private static void requireRow(Column column, EncodedValues values) throws UnavailableException {
        if (!column.hasParts() && values.maxStoredLength() > MAX_VARBINARY) {
            throw new UnavailableException(String.format(
                    "the longest stored value has %d bytes, and a row of a cluster holds %d bytes of a VARBINARY: %d of %d values"
                            + " would fit; use a BLOB (column=mediumblob), or a codec that makes them shorter",
                    values.maxStoredLength(), MAX_VARBINARY, values.countWithin(MAX_VARBINARY), values.count()));
        }
    }

    /**
     * What the server and the cluster report: engine, column_type, for an AUTO_INCREMENT key key_extra, and for a BLOB
     * inline_size and part_size in bytes, and blob_table_name, the parts table.
     */
    @Override
    public Map<String, String> facts() throws SQLException {
        Map<String, String> facts = Sql.row(
                connection,
                "SELECT engine, create_options FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                schema,
                name);
        facts.putAll(columnFacts());
        if (layout.isNumbered()) {
            facts.putAll(Sql.row(
                    connection,
                    "SELECT extra AS " + Layout.KEY_EXTRA + " FROM information_schema.columns"
                            + " WHERE table_schema = ? AND table_name = ? AND column_name = 'id'",
                    schema,
                    name));
        }
        facts.putAll(Sql.row(
                connection,
                "SELECT inline_size, part_size, blob_table_name FROM ndbinfo.blobs"
                        + " WHERE database_name = ? AND table_name = ? AND column_name = ?",
                schema,
                name,
                columnName()));
        return facts;
    }

    @Override
    public DiskSpace disk(Optional<Path> dataDirectory) {
        return DiskSpace.UNKNOWN;
    }

    /** Bytes of rows, their index and parts in all data nodes together, including all replicas. */
    @Override
    OptionalLong memoryBytes() throws SQLException {
        String main = schema + "/def/" + name;
        return OptionalLong.of(memoryOf("fq_name = ? OR parent_fq_name = ?", main, main));
    }

    @Override
    OptionalLong inRow(EncodedValues values) throws SQLException {
        return OptionalLong.of(column.hasParts() ? values.countWithin(inlineBytes(facts())) : values.count());
    }

    @Override
    Optional<PartsTable> parts() throws SQLException {
        Map<String, String> facts = facts();
        String parts = facts.get("blob_table_name");
        return parts == null
                ? Optional.empty()
                : Optional.of(new PartsTable(
                        inlineBytes(facts),
                        Integer.parseInt(facts.get("part_size")),
                        memoryOf("fq_name = ?", schema + "/def/" + parts)));
    }

    private static int inlineBytes(Map<String, String> facts) {
        return Integer.parseInt(facts.get("inline_size"));
    }

    private long memoryOf(String condition, String... parameters) throws SQLException {
        return Long.parseLong(Sql.row(
                        connection,
                        "SELECT COALESCE(SUM(fixed_elem_alloc_bytes + var_elem_alloc_bytes + hash_index_alloc_bytes), 0) AS bytes"
                                + " FROM ndbinfo.memory_per_fragment WHERE " + condition,
                        parameters)
                .get("bytes"));
    }
}
