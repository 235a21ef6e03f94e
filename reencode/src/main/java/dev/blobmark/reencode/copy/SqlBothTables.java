package dev.blobmark.reencode.copy;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.row.ComputedColumns;
import dev.blobmark.reencode.row.RowReader;
import dev.blobmark.reencode.row.RowSource;
import dev.blobmark.reencode.row.Sum;
import dev.blobmark.reencode.table.ShadowNames;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Both tables in a view. */
public final class SqlBothTables implements BothTables {

    private final View view;
    private final TableColumn column;
    private final TableColumn ofFresh;
    private final TableKey key;
    private final RowSource former;
    private final RowSource fresh;
    private final ShadowTable digests;

    /**
     * @param view is closed with this object
     * @param value expression for the stored bytes of the former table
     * @param maxLength longer values are not read
     */
    public SqlBothTables(View view, TableColumn column, TableKey key, String value, long maxLength)
            throws SQLException {
        this.view = view;
        this.column = column;
        this.key = key;
        ofFresh = TableColumn.of(column.schema(), ShadowNames.fresh(column.table()), column.column());
        former = new RowReader(view.connection(), column, key, maxLength, value);
        fresh = new RowReader(view.connection(), ofFresh, key.of(ofFresh.table()), maxLength);
        digests = new ShadowTable(view.connection(), column, key, value);
    }

    @Override
    public void renew() throws SQLException {
        view.renew();
    }

    @Override
    public void begin() throws SQLException {
        view.begin();
    }

    @Override
    public void end() throws SQLException {
        view.end();
    }

    @Override
    public RowSource former() {
        return former;
    }

    @Override
    public RowSource fresh() {
        return fresh;
    }

    @Override
    public Sum sum(Optional<List<Object>> after, List<Object> last) throws SQLException {
        return digests.sum(after, last);
    }

    @Override
    public Sum othersOfFormer(Optional<List<Object>> after, List<Object> last) throws SQLException {
        return digests.othersOfFormer(after, last);
    }

    @Override
    public Optional<CopyEndedException> difference(List<List<Object>> keys) throws SQLException {
        return new ComputedColumns(view.connection(), column, key)
                .difference(new ComputedColumns(view.connection(), ofFresh, key.of(ofFresh.table())), keys);
    }

    @Override
    public void close() throws SQLException {
        try (view) {
            digests.close();
        }
    }
}
