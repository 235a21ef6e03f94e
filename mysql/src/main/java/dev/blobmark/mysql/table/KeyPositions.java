package dev.blobmark.mysql.table;

import dev.blobmark.mysql.table.KeyColumn.KeyRelation;
import dev.blobmark.mysql.table.KeyColumn.Kind;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * Positions in the order of a key: its ends, its middle, random ones. It remembers the characters that occur in the
 * keys that it reads.
 */
final class KeyPositions {

    /** The first and the last value of a part of the key, in the order of the index. */
    private record Ends(Object first, Object last) {}

    /** Characters that are drawn after the common prefix of all keys, more than enough to distinguish rows. */
    private static final int DRAWN_CHARACTERS = 12;

    private static final Set<Kind> MEASURED = Set.of(Kind.NUMBER, Kind.APPROXIMATE, Kind.YEAR, Kind.BIT);

    private final TableKey key;
    private final List<KeyColumn> parts;

    /** The ends of the first part, once they are known. */
    private Optional<Ends> outermost = Optional.empty();

    /** By part: the characters that occur in the keys read so far, as bytes. */
    private final List<TreeSet<String>> alphabets;

    KeyPositions(TableKey key) {
        this.key = key;
        parts = key.parts();
        alphabets = parts.stream().map(part -> new TreeSet<String>()).toList();
    }

    /**
     * Reads the key of a row, and remembers the characters that occur in text, from which {@link #drawn} makes
     * positions.
     */
    List<Object> sampled(ResultSet row, int first) throws SQLException {
        List<Object> read = key.read(row, first);
        for (int i = 0; i < read.size(); i++) {
            if (parts.get(i).number(read.get(i)).isEmpty()) {
                alphabets.get(i).addAll(characters(i, (String) read.get(i)));
            }
        }
        return read;
    }

    private List<String> characters(int part, String bytes) {
        return KeyText.characters(bytes, parts.get(part).charset().orElse("binary"));
    }

    /** The keys of the first rows. */
    List<List<Object>> first(int rows) throws SQLException {
        List<List<Object>> keys = new ArrayList<>();
        try (PreparedStatement select = key.connection()
                        .prepareStatement("SELECT " + key.selected() + key.all().sql() + " LIMIT " + rows);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                keys.add(sampled(row, 1));
            }
        }
        return keys;
    }

    /** The key of the first row of a range; empty if the range is. */
    Optional<List<Object>> first(TableKey.Range range) throws SQLException {
        try (PreparedStatement select =
                key.connection().prepareStatement("SELECT " + key.selected() + range.sql() + " LIMIT 1")) {
            range.bind(select);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(sampled(row, 1)) : Optional.empty();
            }
        }
    }

    /** The key of the last row before a key; empty if that is the first one. */
    Optional<List<Object>> before(List<Object> end) throws SQLException {
        return first(key.where(Optional.of(key.compared(end, KeyRelation.BEFORE)), 0, true));
    }

    /** The key of the last row; empty if there is none. */
    Optional<List<Object>> last() throws SQLException {
        return first(key.where(Optional.empty(), 0, true));
    }

    /**
     * The key of a row about in the middle between two others, greater than the first, and at most the second.
     *
     * @return empty if none was found
     */
    Optional<List<Object>> middle(List<Object> first, List<Object> last, UniformRandomProvider random)
            throws SQLException {
        int part = 0;
        while (part < parts.size() && first.get(part).equals(last.get(part))) {
            part++;
        }
        if (part == parts.size()) {
            return Optional.empty();
        }
        List<Object> position = new ArrayList<>(first.subList(0, part));
        position.add(middle(part, new Ends(first.get(part), last.get(part)), random));
        TableKey.Clause middle = key.begins(position, KeyRelation.FROM)
                .and(key.begins(first.subList(0, part + 1), KeyRelation.AFTER))
                .and(key.compared(last, KeyRelation.UP_TO));
        return first(key.where(middle));
    }

    /** A position in the middle between two values, nearer to the last. For text, a random one. */
    private Object middle(int part, Ends ends, UniformRandomProvider random) {
        KeyColumn of = parts.get(part);
        Optional<BigInteger> first = of.number(ends.first);
        if (first.isPresent()) {
            BigInteger span = of.number(ends.last).orElseThrow().subtract(first.get());
            BigInteger half = span.add(BigInteger.valueOf(span.signum())).divide(BigInteger.TWO);
            return of.value(first.get().add(half), ends.last);
        }
        if (of.kind() == Kind.TEXT) {
            return place(part, ends, random);
        }
        return of.isDescending()
                ? middle((String) ends.last, (String) ends.first)
                : middle((String) ends.first, (String) ends.last);
    }

    /** The rows from a random position between the ends of the key; empty if the table was empty at the first call. */
    Optional<TableKey.Range> drawn(UniformRandomProvider random) throws SQLException {
        List<Object> drawn = new ArrayList<>();
        for (int part = 0; part < parts.size(); part++) {
            Optional<Ends> ends = ends(drawn);
            if (ends.isEmpty()) { // the table is empty, or others have just deleted all rows that begin so
                return drawn.isEmpty() ? Optional.empty() : Optional.of(key.from(drawn));
            }
            drawn.add(place(part, ends.get(), random));
            if (part < parts.size() - 1) {
                drawn.set(part, value(key.from(drawn), part).orElse(ends.get().first));
            }
        }
        return Optional.of(key.from(drawn));
    }

    /** The ends of the part after these; empty if no row begins with them. */
    private Optional<Ends> ends(List<Object> before) throws SQLException {
        if (before.isEmpty() && outermost.isPresent()) {
            return outermost;
        }
        Optional<Object> first = end(before, false);
        Optional<Object> last = end(before, true);
        Optional<Ends> ends = first.isPresent() && last.isPresent()
                ? Optional.of(new Ends(first.get(), last.get()))
                : Optional.empty();
        if (before.isEmpty()) {
            outermost = ends;
        }
        return ends;
    }

    /** The first or the last value of the part after these. */
    private Optional<Object> end(List<Object> before, boolean isLast) throws SQLException {
        Optional<TableKey.Clause> where =
                before.isEmpty() ? Optional.empty() : Optional.of(key.begins(before, KeyRelation.EQUAL));
        return value(key.where(where, before.size(), isLast), before.size());
    }

    private Optional<Object> value(TableKey.Range range, int part) throws SQLException {
        KeyColumn of = parts.get(part);
        try (PreparedStatement select =
                key.connection().prepareStatement("SELECT " + of.selected() + range.sql() + " LIMIT 1")) {
            range.bind(select);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? of.read(row, 1) : Optional.empty();
            }
        }
    }

    /**
     * A random position between two values. For numbers, any number. For text, the common prefix of both, followed by
     * characters that occur in keys, whatever their order in the server's collation.
     */
    private Object place(int part, Ends ends, UniformRandomProvider random) {
        KeyColumn of = parts.get(part);
        Optional<BigInteger> first = of.number(ends.first);
        if (first.isPresent()) {
            BigInteger last = of.number(ends.last).orElseThrow();
            BigInteger span = last.subtract(first.get()).abs();
            byte[] drawn = ByteBuffer.allocate(2 * Long.BYTES)
                    .putLong(random.nextLong())
                    .putLong(random.nextLong())
                    .array();
            return of.value(
                    first.get().min(last).add(new BigInteger(1, drawn).mod(span.add(BigInteger.ONE))), ends.last);
        }
        List<String> low = characters(part, (String) ends.first);
        List<String> high = characters(part, (String) ends.last);
        int common = 0;
        while (common < Math.min(low.size(), high.size()) && low.get(common).equals(high.get(common))) {
            common++;
        }
        TreeSet<String> known = new TreeSet<>(alphabets.get(part));
        if (known.isEmpty()) { // the server ended the first statement for its time
            known.addAll(low);
            known.addAll(high);
        }
        List<String> alphabet = List.copyOf(known);
        StringBuilder place = new StringBuilder(String.join("", low.subList(0, common)));
        for (int i = 0; i < DRAWN_CHARACTERS && !low.equals(high); i++) {
            place.append(alphabet.get((int) Long.remainderUnsigned(random.nextLong(), alphabet.size())));
        }
        return place.toString();
    }

    /** Bytes between two others: after the first ones, and not after the last ones. */
    private static String middle(String low, String high) {
        int common = 0;
        while (common < Math.min(low.length(), high.length()) && low.charAt(common) == high.charAt(common)) {
            common++;
        }
        int from = common < low.length() ? low.charAt(common) : 0;
        return low.substring(0, common) + (char) ((from + high.charAt(common) + 1) / 2);
    }

    /**
     * The share of the key's whole span that a range covers; only known if the key is one number.
     *
     * @param range that was read
     * @param last key of the range
     */
    Optional<Double> share(TableKey.Range range, List<Object> last) {
        KeyColumn of = parts.get(0);
        if (parts.size() > 1 || outermost.isEmpty() || !MEASURED.contains(of.kind())) {
            return Optional.empty();
        }
        double all = span(of, outermost.get().first, outermost.get().last);
        return Optional.of(span(of, range.parameters().get(0).value(), last.get(0)) / all);
    }

    private static double span(KeyColumn of, Object first, Object last) {
        BigInteger span =
                of.number(last).orElseThrow().subtract(of.number(first).orElseThrow());
        return span.abs().doubleValue() + 1;
    }
}
