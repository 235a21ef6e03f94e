package dev.blobmark.reencode.table;

import java.sql.SQLException;
import java.util.List;
import java.util.function.ToLongFunction;

/** Divides rows among statements of few sizes, so that few statements are prepared. */
public final class Groups {

    /** Rows of a statement, from the largest. */
    private static final List<Integer> SIZES = List.of(64, 8, 1);

    private Groups() {}

    /** Receives rows whose number is a multiple of the size. */
    public interface Action<T> {
        void run(List<T> rows, int size) throws SQLException;
    }

    /** Calls the action for the rows in their order, at most once for each size. */
    public static <T> void forEach(List<T> rows, Action<T> action) throws SQLException {
        forEach(rows, row -> 0, 0, action);
    }

    /**
     * Calls the action for the rows in their order.
     *
     * @param bytes that a row takes in a statement
     * @param most bytes of a statement of several rows
     */
    public static <T> void forEach(List<T> rows, ToLongFunction<T> bytes, long most, Action<T> action)
            throws SQLException {
        int from = 0;
        while (from < rows.size()) {
            int size = size(rows, from, bytes, most);
            int to = from + size;
            while (to < rows.size() && size(rows, to, bytes, most) == size) {
                to += size;
            }
            action.run(rows.subList(from, to), size);
            from = to;
        }
    }

    private static <T> int size(List<T> rows, int from, ToLongFunction<T> bytes, long most) {
        return SIZES.stream()
                .filter(size -> size == 1
                        || from + size <= rows.size()
                                && rows.subList(from, from + size).stream()
                                                .mapToLong(bytes)
                                                .sum()
                                        <= most)
                .findFirst()
                .orElseThrow();
    }
}
