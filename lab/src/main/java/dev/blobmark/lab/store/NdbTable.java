package dev.blobmark.lab.store;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.client.UnavailableException;
import dev.blobmark.lab.measurement.DiskSpace;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A table of values in the memory of a cluster's data nodes. */
final class NdbTable extends MySqlTable {

    /** A row has up to 30,000 bytes: the key takes 4 of them, the length of the value 2. Seen with 9.7.4: one more is error 1005. */
    static final int MOST_VARBINARY = 29_994;

    private final Column column;

    /** @param column for the very values that it is to be loaded with */
    NdbTable(Connection connection, String schema, String name, Layout layout, Column column) {
        super(connection, schema, name, layout, column);
        this.column = column;
    }

    /**
     * The column as a cluster is to have it for some values.
     *
     * @throws UnavailableException if they do not fit a row, and have nowhere else to go
     */
    static Column column(Column column, Inline inline, EncodedValues values) throws SQLException {
        return requireRow(column, values).fitted(values).inline(inline, values.maxStoredLength());
    }

    /** What does not fit a VARBINARY has nowhere to go, unlike that of a BLOB. */
    private static Column requireRow(Column column, EncodedValues values) throws UnavailableException {
        if (!column.hasParts() && values.maxStoredLength() > MOST_VARBINARY) {
            throw new UnavailableException(String.format(
                    "the longest stored value has %d bytes, and a row of a cluster holds %d of a VARBINARY: %d of %d values"
                            + " would fit; take a BLOB (column=mediumblob), or a codec that makes them shorter",
                    values.maxStoredLength(), MOST_VARBINARY, values.countWithin(MOST_VARBINARY), values.count()));
        }
        return column;
    }

    /**
     * What server and cluster say of it: engine, column_type, and of a BLOB inline_size, part_size and blob_table_name, in bytes and as
     * the cluster calls it.
     */
    @Override
    public Map<String, String> facts() throws SQLException {
        Map<String, String> facts = Sql.row(
                connection,
                "SELECT engine, create_options FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                schema,
                name);
        facts.putAll(columnFacts());
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

    /** Of rows, their index and the parts, in all data nodes together: as many copies as there are replicas. */
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

    private long memoryOf(String which, String... parameters) throws SQLException {
        return Long.parseLong(Sql.row(
                        connection,
                        "SELECT COALESCE(SUM(fixed_elem_alloc_bytes + var_elem_alloc_bytes + hash_index_alloc_bytes), 0) AS bytes"
                                + " FROM ndbinfo.memory_per_fragment WHERE " + which,
                        parameters)
                .get("bytes"));
    }
}
