package dev.blobmark.reencode;

import dev.blobmark.lab.admission.TableSession;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.table.TableKey;
import dev.blobmark.value.FrameException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Compares the values of a table with the checksums of a change, range by range. */
final class Verification {

    private static final int RANGES_AT_ONCE = 1_000;

    private final TableSession session;
    private final StateTable states;
    private final TableKey key;
    private final TableColumn column;
    private final RowReader reader;
    private long same;
    private long ranges;
    private long rows;
    private long unreadable;
    private String firstUnreadable = "";
    private Optional<List<Object>> begin = Optional.empty();

    Verification(TableSession session, StateTable states, TableColumn column, TableKey key) {
        this.session = session;
        this.states = states;
        this.key = key;
        this.column = column;
        reader = new RowReader(session.connection(), column, key, Conversion.MAX_LENGTH);
    }

    /** Begins after a key; from the first row on without this. */
    Verification after(Optional<List<Object>> key) {
        begin = key;
        return this;
    }

    Verified run(Conversion conversion) throws SQLException, InterruptedException {
        Optional<List<Object>> after = begin;
        long number = 0;
        List<StateTable.NumberedRange> some;
        do {
            some = states.ranges(session.connection(), number, RANGES_AT_ONCE);
            for (StateTable.NumberedRange numbered : some) {
                long begin = System.nanoTime();
                List<Object> last = key.parse(numbered.range().last());
                compare(numbered.range(), after, last, conversion);
                after = Optional.of(last);
                number = numbered.number();
                session.pause(System.nanoTime() - begin, column.name());
            }
        } while (!some.isEmpty());
        return new Verified(ranges, same, rows, unreadable, firstUnreadable);
    }

    private void compare(StateTable.Range range, Optional<List<Object>> after, List<Object> last, Conversion conversion)
            throws SQLException {
        long checksum = 0;
        int count = 0;
        for (Row row : reader.between(after, last)) {
            count++;
            if (row.stored().isPresent()) {
                List<String> texts = key.texts(row.key());
                try {
                    checksum += Conversion.hash(
                            String.join("\0", texts).getBytes(StandardCharsets.UTF_8),
                            conversion.value(row.stored().get()));
                } catch (FrameException e) {
                    unreadable++;
                    firstUnreadable = firstUnreadable.isEmpty() ? String.join(", ", texts) : firstUnreadable;
                }
            }
        }
        ranges++;
        rows += count;
        same += checksum == range.checksum() && count == range.rows() ? 1 : 0;
    }
}
