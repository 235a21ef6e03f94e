package dev.blobmark.reencode.column;

import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.column.StoredColumn.Stored;
import dev.blobmark.reencode.column.StoredColumn.StoredDictionary;
import dev.blobmark.value.FrameException;
import dev.blobmark.value.StoredForm;
import dev.blobmark.value.ValueDictionary;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/**
 * How the values of a column are stored: each was read and decoded once.
 *
 * @param column {@code SCHEMA.TABLE.COLUMN}
 * @param reading how it was read
 * @param isComplete false if reading was interrupted: then everything is about the first rows by their key
 * @param rows with and without a value
 * @param nulls rows without a value
 * @param forms those with the most values first
 * @param unreadable number of values that cannot be read
 * @param first the first of these, by key
 * @param dictionaries that values refer to, or that are in the schema's table
 * @param unusedCodecs codecs of the value format that no value needs
 */
public record Census(
        String column,
        ColumnReading reading,
        boolean isComplete,
        long rows,
        long nulls,
        List<Form> forms,
        long unreadable,
        List<Unreadable> first,
        List<Dictionary> dictionaries,
        List<String> unusedCodecs) {

    /** Unreadable values that are named. */
    public static final int NAMED = 20;

    private static final List<String> CODECS = List.of("zstd", "lz4", "deflate", "brotli", "snappy", "mysql");

    /**
     * Values that are stored in one way.
     *
     * @param storedBytes of all of them
     * @param valueBytes of those that can be read
     * @param unreadable number of those that cannot
     */
    public record Form(String form, long values, long storedBytes, long valueBytes, long unreadable) {

        private Form plus(long stored, long value, boolean isReadable) {
            return new Form(
                    form, values + 1, storedBytes + stored, valueBytes + value, unreadable + (isReadable ? 0 : 1));
        }
    }

    /** A value that cannot be read, and why. */
    public record Unreadable(String key, String form, String reason) {}

    /**
     * A dictionary.
     *
     * @param number six hexadecimal digits
     * @param values of this column that refer to it
     * @param state whether it is in the table
     * @param registered other columns whose values may be encoded with it
     */
    public record Dictionary(String number, long values, State state, List<String> registered) {

        /** Whether no value of this column refers to it. */
        public boolean isUnused() {
            return values == 0;
        }
    }

    /** Whether a dictionary is in the schema's table. */
    public enum State {
        PRESENT,
        MISSING,
        DAMAGED
    }

    public Census {
        forms = List.copyOf(forms);
        first = List.copyOf(first);
        dictionaries = List.copyOf(dictionaries);
        unusedCodecs = List.copyOf(unusedCodecs);
    }

    /**
     * Reads a column.
     *
     * @param progress receives the number of rows that were read until then, after each statement
     */
    public static Census of(StoredColumn column, LongConsumer progress) throws SQLException, InterruptedException {
        Counting counting = new Counting(column);
        boolean isComplete = column.forEach(counting::add, progress);
        return counting.census(column, isComplete);
    }

    private static final class Counting {

        private final ColumnFormat format;
        private final String most;
        private final Map<String, Form> forms = new HashMap<>();
        private final List<Unreadable> first = new ArrayList<>();
        private final Map<Integer, Long> references = new TreeMap<>();
        private final TreeSet<String> codecs = new TreeSet<>();
        private long rows;
        private long nulls;
        private long unreadable;

        Counting(StoredColumn column) {
            format = column.format();
            most = column.mostStored();
        }

        void add(Stored row) {
            rows++;
            if (row.isNull()) {
                nulls++;
                return;
            }
            if (row.stored().isEmpty()) {
                count(row, "too long to be read", "it has " + row.storedBytes() + " bytes, and at most " + most);
                return;
            }
            byte[] stored = row.stored().get();
            StoredForm shape = StoredForm.of(stored);
            shape.dictionary().ifPresent(number -> references.merge(number, 1L, Long::sum));
            String form = format.form(stored);
            if (shape.kind() != StoredForm.Kind.SQL || form.equals(ColumnFormat.SQL)) {
                shape.codec().ifPresent(codecs::add);
            }
            try {
                int length = format.decode(stored).length;
                forms.merge(
                        form,
                        new Form(form, 1, stored.length, length, 0),
                        (old, one) -> old.plus(stored.length, length, true));
            } catch (FrameException e) {
                boolean isTooLong = e.reason() == FrameException.Reason.TOO_LONG;
                count(row, form, e.getMessage() + (isTooLong ? ": see --max-length" : ""));
            } catch (UnsupportedOperationException e) {
                count(row, form, e.getMessage());
            }
        }

        private void count(Stored row, String form, String reason) {
            forms.merge(
                    form,
                    new Form(form, 1, row.storedBytes(), 0, 1),
                    (old, one) -> old.plus(row.storedBytes(), 0, false));
            unreadable++;
            if (first.size() < NAMED) {
                first.add(new Unreadable(row.key(), form, reason));
            }
        }

        Census census(StoredColumn column, boolean isComplete) {
            Map<Integer, StoredDictionary> known = column.dictionaryRows();
            TreeSet<Integer> numbers = new TreeSet<>(references.keySet());
            numbers.addAll(known.keySet());
            return new Census(
                    column.name(),
                    column.reading(),
                    isComplete,
                    rows,
                    nulls,
                    forms.values().stream()
                            .sorted(Comparator.comparing(Form::values)
                                    .reversed()
                                    .thenComparing(Form::form))
                            .toList(),
                    unreadable,
                    first,
                    numbers.stream()
                            .map(number -> dictionary(number, known, column.name()))
                            .toList(),
                    CODECS.stream().filter(codec -> !codecs.contains(codec)).toList());
        }

        private Dictionary dictionary(int number, Map<Integer, StoredDictionary> known, String column) {
            StoredDictionary row = known.get(number);
            return new Dictionary(
                    ValueDictionary.name(number),
                    references.getOrDefault(number, 0L),
                    row == null ? State.MISSING : row.found().isPresent() ? State.PRESENT : State.DAMAGED,
                    row == null
                            ? List.of()
                            : row.columns().stream()
                                    .filter(each -> !each.equals(column))
                                    .toList());
        }
    }
}
