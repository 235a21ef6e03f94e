package dev.blobmark.reencode.world;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;

/** A file of the binary log, with the bytes of its events as MySQL 9.7 writes them. */
final class LogFile {

    private static final int QUERY = 2;
    private static final int ROTATE = 4;
    private static final int FORMAT = 15;
    private static final int XID = 16;
    private static final int TABLE_MAP = 19;
    private static final int WRITE_ROWS = 30;
    private static final int UPDATE_ROWS = 31;
    private static final int DELETE_ROWS = 32;
    private static final int XA_PREPARE = 38;
    private static final int TABLE_ID = 77;
    private static final int COLUMNS = 4;

    /** Lengths of the fixed parts of the types from 1 on. */
    private static final byte[] POST_HEADERS = new byte[42];

    static {
        POST_HEADERS[QUERY - 1] = 13;
        POST_HEADERS[TABLE_MAP - 1] = 8;
        Arrays.fill(POST_HEADERS, WRITE_ROWS - 1, DELETE_ROWS, (byte) 10);
    }

    /** An event and where it begins. */
    record Event(long offset, byte[] bytes) {}

    final String name;
    final int createdSeconds;
    final List<Event> events = new ArrayList<>();

    /** The file after this one; null while this one is written, and after it was removed. */
    LogFile next;

    boolean isPurged;
    private long end = 4;

    LogFile(int number, int createdSeconds) {
        name = String.format("log.%06d", number);
        this.createdSeconds = createdSeconds;
        add(FORMAT, formatBody());
    }

    int number() {
        return Integer.parseInt(name.substring(4));
    }

    long end() {
        return end;
    }

    private void add(int type, byte[] body) {
        long next = end + 19 + body.length + 4;
        events.add(new Event(end, event(type, body, next, 0)));
        end = next;
    }

    /** The event that a server makes when a reader begins. */
    byte[] begin(long offset) {
        return event(ROTATE, bytes(little(offset, 8), name.getBytes(StandardCharsets.UTF_8)), 0, 0x20);
    }

    /** The format, as it is sent to a reader that begins behind it. */
    byte[] format() {
        return event(FORMAT, formatBody(), 0, 0);
    }

    private static byte[] formatBody() {
        byte[] version = Arrays.copyOf("9.7.4".getBytes(StandardCharsets.UTF_8), 50);
        return bytes(little(4, 2), version, little(0, 4), little(19, 1), POST_HEADERS, little(1, 1));
    }

    void rotate(LogFile to) {
        add(ROTATE, bytes(little(4, 8), to.name.getBytes(StandardCharsets.UTF_8)));
        next = to;
    }

    void query(String sql) {
        byte[] schema = "shop".getBytes(StandardCharsets.UTF_8);
        add(
                QUERY,
                bytes(
                        little(5, 4),
                        little(0, 4),
                        little(schema.length, 1),
                        little(0, 2),
                        little(0, 2),
                        schema,
                        little(0, 1),
                        sql.getBytes(StandardCharsets.UTF_8)));
    }

    /** With a statement of somebody else, up to a place. */
    void fill(long place) {
        int least = 19 + 13 + 4 + 1 + 4;
        String begin = "GRANT SELECT ON other.* TO somebody /* ";
        long missing = place - end - least - begin.length();
        if (missing >= 2) {
            query(begin + "x".repeat((int) missing - 2) + "*/");
        }
    }

    void commit() {
        add(XID, little(1, 8));
    }

    void xaPrepare() {
        add(
                XA_PREPARE,
                bytes(little(0, 1), little(1, 4), little(1, 4), little(0, 4), "x".getBytes(StandardCharsets.UTF_8)));
    }

    /** Of a type that no version has yet. */
    void unknown() {
        add(200, little(7, 8));
    }

    /**
     * A changed row.
     *
     * @param before null for an INSERT
     * @param after null for a DELETE
     * @param isMinimal whether images have only the key and what was changed
     */
    void row(String table, Integer idBefore, Content before, Integer idAfter, Content after, boolean isMinimal) {
        add(
                TABLE_MAP,
                bytes(
                        little(TABLE_ID, 6),
                        little(1, 2),
                        little(4, 1),
                        "shop".getBytes(StandardCharsets.UTF_8),
                        little(0, 1),
                        little(table.length(), 1),
                        table.getBytes(StandardCharsets.UTF_8),
                        little(0, 1),
                        little(COLUMNS, 1),
                        new byte[] {3, 3, 15, (byte) 252},
                        little(3, 1),
                        little(160, 2),
                        little(3, 1),
                        little(0b1110, 1)));
        byte[] head = bytes(little(TABLE_ID, 6), little(1, 2), little(2, 2), little(COLUMNS, 1));
        int all = 0b1111;
        if (before == null) {
            add(WRITE_ROWS, bytes(head, little(all, 1), image(idAfter, after, all)));
        } else if (after == null) {
            int included = isMinimal ? 1 : all;
            add(DELETE_ROWS, bytes(head, little(included, 1), image(idBefore, before, included)));
        } else {
            int first = isMinimal ? 1 : all;
            int second = isMinimal ? changed(idBefore, before, idAfter, after) : all;
            add(
                    UPDATE_ROWS,
                    bytes(
                            head,
                            little(first, 1),
                            little(second, 1),
                            image(idBefore, before, first),
                            image(idAfter, after, second)));
        }
    }

    private static int changed(int idBefore, Content before, int idAfter, Content after) {
        return (idBefore != idAfter ? 1 : 0)
                | (java.util.Objects.equals(before.unique(), after.unique()) ? 0 : 2)
                | (before.note().equals(after.note()) ? 0 : 4)
                | (Arrays.equals(before.payload(), after.payload()) ? 0 : 8);
    }

    private static byte[] image(int id, Content row, int included) {
        int nulls = 0;
        int place = 0;
        ByteArrayOutputStream values = new ByteArrayOutputStream();
        for (int i = 0; i < COLUMNS; i++) {
            if ((included & 1 << i) == 0) {
                continue;
            }
            byte[] value = value(i, id, row);
            if (value == null) {
                nulls |= 1 << place;
            } else {
                values.writeBytes(value);
            }
            place++;
        }
        return bytes(little(nulls, (place + 7) / 8), values.toByteArray());
    }

    private static byte[] value(int column, int id, Content row) {
        return switch (column) {
            case 0 -> little(id, 4);
            case 1 -> row.unique() == null ? null : little(row.unique(), 4);
            case 2 -> bytes(little(row.note().length(), 1), row.note().getBytes(StandardCharsets.UTF_8));
            default -> row.payload() == null ? null : bytes(little(row.payload().length, 3), row.payload());
        };
    }

    private byte[] event(int type, byte[] body, long next, int flags) {
        int size = 19 + body.length + 4;
        byte[] event = bytes(
                little(createdSeconds, 4),
                little(type, 1),
                little(1, 4),
                little(size, 4),
                little(next, 4),
                little(flags, 2),
                body);
        CRC32 crc = new CRC32();
        crc.update(event);
        return bytes(event, little(crc.getValue(), 4));
    }

    private static byte[] little(long value, int length) {
        return Arrays.copyOf(
                ByteBuffer.allocate(Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(value)
                        .array(),
                length);
    }

    private static byte[] bytes(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
