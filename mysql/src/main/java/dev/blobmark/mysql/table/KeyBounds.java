package dev.blobmark.mysql.table;

import dev.blobmark.mysql.table.TableKey.Range;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * Keys that divide a table into parts of similar numbers of rows, however these are distributed. The largest part is
 * halved again and again, by the estimates that the server's optimizer makes from the index.
 */
public final class KeyBounds {

    /** A part may be this much larger than the average. */
    private static final double TOLERANCE = 1.25;

    private static final int MAX_STEPS_PER_PART = 8;
    private static final int ATTEMPTS = 16;

    private final Connection connection;
    private final TableKey key;
    private final KeyPositions positions;
    private final UniformRandomProvider random;

    /** Parts in the order of the key. */
    private final List<KeySpan> divided = new ArrayList<>();

    /**
     * Rows that follow each other.
     *
     * @param after key of the row before; empty for the first one of the table
     * @param depth how often it was halved
     * @param isWhole whether it cannot be divided
     */
    private record KeySpan(
            Optional<List<Object>> after,
            List<Object> first,
            List<Object> last,
            double rows,
            int depth,
            boolean isWhole) {

        /** Where the server knows no statistics yet, all estimates are the same. */
        static final Comparator<KeySpan> BY_SIZE =
                Comparator.comparing(KeySpan::rows).thenComparing(KeySpan::depth, Comparator.reverseOrder());

        KeySpan whole() {
            return new KeySpan(after, first, last, rows, depth, true);
        }
    }

    private KeyBounds(Connection connection, TableKey key, UniformRandomProvider random) {
        this.connection = connection;
        this.key = key;
        positions = new KeyPositions(key);
        this.random = random;
    }

    /**
     * The keys of the last rows of all parts but the last, in their order.
     *
     * @return fewer than asked for if the table has few rows
     */
    public static List<List<Object>> of(Connection connection, TableKey key, int parts, UniformRandomProvider random)
            throws SQLException {
        return new KeyBounds(connection, key, random).bounds(parts);
    }

    private List<List<Object>> bounds(int parts) throws SQLException {
        Optional<List<Object>> first = positions.first(key.all());
        Optional<List<Object>> last = positions.last();
        if (first.isEmpty() || last.isEmpty()) {
            return List.of();
        }
        divided.add(part(Optional.empty(), first.get(), last.get(), 0));
        for (int step = 0; step < MAX_STEPS_PER_PART * parts && halveLargest(rows() / (2.0 * parts)); step++) {
            // until all are small, or the steps are used up
        }
        return merged(rows() / parts);
    }

    private double rows() {
        return divided.stream().mapToDouble(KeySpan::rows).sum();
    }

    /** Returns whether it has divided a part that is larger than wanted. */
    private boolean halveLargest(double wanted) throws SQLException {
        Optional<KeySpan> largest =
                divided.stream().filter(part -> !part.isWhole()).max(KeySpan.BY_SIZE);
        if (largest.isEmpty() || largest.get().rows() <= wanted) {
            return false;
        }
        KeySpan part = largest.get();
        int place = divided.indexOf(part);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Optional<List<Object>> middle = positions.middle(part.first(), part.last(), random);
            Optional<List<Object>> before = middle.isPresent() ? positions.before(middle.get()) : Optional.empty();
            if (before.isPresent()) {
                divided.set(place, part(part.after(), part.first(), before.get(), part.depth() + 1));
                divided.add(place + 1, part(before, middle.get(), part.last(), part.depth() + 1));
                return true;
            }
        }
        divided.set(place, part.whole());
        return true;
    }

    private KeySpan part(Optional<List<Object>> after, List<Object> first, List<Object> last, int depth)
            throws SQLException {
        double rows = 0;
        // with FORCE INDEX, MySQL does not look at the index: its estimate is 1 row
        for (Range range : key.simple(first, last)) {
            try (PreparedStatement explain = connection.prepareStatement(
                    "EXPLAIN FORMAT=TRADITIONAL SELECT 1" + range.sql().replace(key.hint(), ""))) {
                range.bind(explain);
                try (ResultSet row = explain.executeQuery()) {
                    rows += row.next() ? row.getDouble("rows") : 0;
                }
            }
        }
        return new KeySpan(after, first, last, rows, depth, false);
    }

    /** Small parts next to each other become one. */
    private List<List<Object>> merged(double wanted) {
        List<List<Object>> bounds = new ArrayList<>();
        double rows = 0;
        for (int i = 0; i + 1 < divided.size(); i++) {
            rows += divided.get(i).rows();
            if (rows + divided.get(i + 1).rows() > TOLERANCE * wanted) {
                bounds.add(divided.get(i).last());
                rows = 0;
            }
        }
        return bounds;
    }
}
