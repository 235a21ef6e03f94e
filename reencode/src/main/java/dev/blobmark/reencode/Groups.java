package dev.blobmark.reencode;

import java.sql.SQLException;
import java.util.List;

/** Divides rows among statements of few sizes, so that few statements are prepared. */
final class Groups {

    /** Rows of a statement, from the largest. */
    private static final List<Integer> SIZES = List.of(64, 8, 1);

    private Groups() {}

    /** Receives rows whose number is a multiple of the size. */
    interface Action<T> {
        void run(List<T> rows, int size) throws SQLException;
    }

    /** Calls the action for the rows in their order, at most once for each size. */
    static <T> void forEach(List<T> rows, Action<T> action) throws SQLException {
        int from = 0;
        for (int size : SIZES) {
            int to = from + (rows.size() - from) / size * size;
            if (to > from) {
                action.run(rows.subList(from, to), size);
            }
            from = to;
        }
    }
}
