package dev.blobmark.reencode.verify;

import dev.blobmark.mysql.admission.TableSession;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.Row;
import dev.blobmark.reencode.row.RowReader;
import dev.blobmark.value.FrameException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Compares the values of a table with the checksums of a change, range by range. */
public final class Verification {

    private static final int RANGES_AT_ONCE = 1_000;

    private final TableSession session;
    private final StateTable states;
    private final TableKey key;
    private final boolean isBack;
    private final TableColumn column;
    private final RowReader reader;
    private long same;
    private long sameWithValues;
    private long ranges;
    private long rows;
    private long unreadable;
    private String firstUnreadable = "";
    private Optional<List<Object>> begin = Optional.empty();

    /** @param isBack whether the change is being taken back, or was */
    public Verification(TableSession session, StateTable states, TableColumn column, TableKey key, boolean isBack) {
        this.session = session;
        this.states = states;
        this.key = key;
        this.isBack = isBack;
        this.column = column;
        reader = new RowReader(session.connection(), column, key, Conversion.MAX_LENGTH);
    }

    /** Begins after a key; from the first row on without this. */
    public Verification after(Optional<List<Object>> key) {
        begin = key;
        return this;
    }

    public Verified run(Conversion conversion) throws SQLException, InterruptedException {
        all(conversion, false);
        return new Verified(ranges, same, rows, unreadable, firstUnreadable);
    }

    /**
     * Whether the table still has a range with the values that the change read. Ranges without values do not count.
     *
     * @return empty if there are no ranges
     */
    public Optional<Boolean> isAnySame(Conversion conversion) throws SQLException, InterruptedException {
        all(conversion, true);
        return ranges == 0 ? Optional.empty() : Optional.of(sameWithValues > 0);
    }

    private void all(Conversion conversion, boolean isOneEnough) throws SQLException, InterruptedException {
        Optional<List<Object>> after = begin;
        long number = 0;
        List<StateTable.NumberedRange> some;
        do {
            some = states.ranges(session.connection(), number, RANGES_AT_ONCE);
            for (StateTable.NumberedRange numbered : some) {
                long begin = System.nanoTime();
                List<Object> last = key.parse(numbered.range().last());
                compare(numbered.range(), after, last, conversion);
                if (isOneEnough && sameWithValues > 0) {
                    return;
                }
                after = Optional.of(last);
                number = numbered.number();
                session.pause(System.nanoTime() - begin, column.name());
            }
        } while (!some.isEmpty());
    }

    private void compare(StateTable.Range range, Optional<List<Object>> after, List<Object> last, Conversion conversion)
            throws SQLException {
        long checksum = 0;
        int count = 0;
        boolean hasValue = false;
        for (Row row : reader.between(after, last)) {
            count++;
            if (row.stored().isPresent()) {
                hasValue = true;
                List<String> texts = key.texts(row.key());
                try {
                    checksum += Conversion.hash(
                            String.join("\0", texts).getBytes(StandardCharsets.UTF_8),
                            conversion.valueAfter(row.stored().get(), isBack));
                } catch (FrameException e) {
                    unreadable++;
                    firstUnreadable = firstUnreadable.isEmpty() ? key.readable(row.key()) : firstUnreadable;
                }
            }
        }
        ranges++;
        rows += count;
        boolean isSame = checksum == range.checksum() && count == range.rows();
        same += isSame ? 1 : 0;
        sameWithValues += isSame && hasValue ? 1 : 0;
    }
}
