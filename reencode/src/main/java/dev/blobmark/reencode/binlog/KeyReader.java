package dev.blobmark.reencode.binlog;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the keys of one table's rows from row images; of the other columns only the lengths.
 *
 * @param columns number of columns of the table
 * @param parts columns of the key, in its order
 */
public record KeyReader(int columns, List<Part> parts) {

    /**
     * A column of the key.
     *
     * @param index in the table, from 0
     * @param padded number of bytes of BINARY, otherwise 0
     */
    public record Part(String name, int index, boolean isUnsigned, int padded) {}

    private static final int PARTIAL_JSON = 1;

    /** Columns that an image has, by number; a column whose value is NULL or missing is empty. */
    private record Image(List<Optional<byte[]>> key) {}

    void requireColumns(TableMap map) {
        if (map.columns().size() != columns) {
            throw new IncompleteLogException("the table has " + map.columns().size() + " columns in the log, and had "
                    + columns + " when the copy began");
        }
    }

    /**
     * The keys of the rows of an event: of an UPDATE before and after.
     *
     * @param rows behind the flags and extra data
     */
    List<List<Object>> read(EventType.Role role, TableMap map, Bytes rows) {
        requireColumns(map);
        long count = rows.packed();
        if (count != columns) {
            throw new IncompleteLogException("an event has rows of " + count + " columns, and the table " + columns);
        }
        boolean isUpdate = role == EventType.Role.UPDATE
                || role == EventType.Role.UPDATE_COMPRESSED
                || role == EventType.Role.PARTIAL_UPDATE;
        Bytes.Bits first = rows.bits(columns);
        Bytes.Bits second = isUpdate ? rows.bits(columns) : first;
        List<List<Object>> keys = new ArrayList<>();
        while (rows.left() > 0) {
            Image before = image(map, rows, first);
            List<Object> key = key(map, before, Optional.empty());
            keys.add(key);
            if (isUpdate) {
                if (role == EventType.Role.PARTIAL_UPDATE) {
                    skipOptions(map, rows);
                }
                List<Object> after = key(map, image(map, rows, second), Optional.of(key));
                if (!after.equals(key)) {
                    keys.add(after);
                }
            }
        }
        return keys;
    }

    /** Which JSON values are differences. These have a length of 4 bytes as whole values have. */
    private static void skipOptions(TableMap map, Bytes rows) {
        long options = rows.packed();
        if ((options & ~PARTIAL_JSON) != 0) {
            throw new IncompleteLogException("an UPDATE has the unknown options " + options);
        }
        if ((options & PARTIAL_JSON) != 0) {
            rows.bits(map.jsonColumns());
        }
    }

    private Image image(TableMap map, Bytes rows, Bytes.Bits included) {
        Bytes.Bits nulls = rows.bits(included.cardinality());
        List<Optional<byte[]>> key = new ArrayList<>();
        parts.forEach(part -> key.add(Optional.empty()));
        int place = 0;
        for (int i = 0; i < columns; i++) {
            if (!included.isSet(i)) {
                continue;
            }
            int part = part(i);
            if (nulls.isSet(place)) {
                if (part >= 0) {
                    throw new IncompleteLogException("a row in the log has NULL in the column "
                            + parts.get(part).name() + " of the key");
                }
            } else {
                if (part >= 0) {
                    key.set(part, Optional.of(map.columns().get(i).take(rows)));
                } else {
                    map.columns().get(i).skip(rows);
                }
            }
            place++;
        }
        return new Image(key);
    }

    private int part(int column) {
        for (int i = 0; i < parts.size(); i++) {
            if (parts.get(i).index() == column) {
                return i;
            }
        }
        return -1;
    }

    /**
     * The key of an image.
     *
     * @param before the key of the image before, whose columns are those that were not changed
     * @throws IncompleteLogException if the images do not have it
     */
    private List<Object> key(TableMap map, Image image, Optional<List<Object>> before) {
        List<Object> key = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            Optional<byte[]> bytes = image.key().get(i);
            if (bytes.isPresent()) {
                key.add(map.columns().get(part.index()).value(bytes.get(), part.isUnsigned(), part.padded()));
            } else if (before.isPresent()) {
                key.add(before.get().get(i));
            } else {
                throw new IncompleteLogException("a row in the log does not have the column " + part.name()
                        + " of the key by which rows are copied: the session that changed it has"
                        + " binlog_row_image=MINIMAL or NOBLOB, or left the column to its default");
            }
        }
        return key;
    }
}
