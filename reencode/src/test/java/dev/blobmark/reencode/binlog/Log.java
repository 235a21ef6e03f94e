package dev.blobmark.reencode.binlog;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32;

/** Events as a server sends them, made byte by byte, each behind the one before. */
final class Log {

    static final String FILE = "log.000007";
    static final int CREATED = 1_700_000_000;

    /**
     * Post-headers of the types 1 to 42: 13 of QUERY, 8 of TABLE_MAP and rows, 10 of rows of version 2, 0 of others.
     */
    private static final byte[] POST_HEADERS = new byte[171];

    static {
        POST_HEADERS[1] = 13;
        Arrays.fill(POST_HEADERS, 18, 25, (byte) 8);
        Arrays.fill(POST_HEADERS, 29, 32, (byte) 10);
        POST_HEADERS[38] = 10;
        POST_HEADERS[164] = 13;
        Arrays.fill(POST_HEADERS, 165, 168, (byte) 8);
        Arrays.fill(POST_HEADERS, 168, 171, (byte) 10);
    }

    private final List<byte[]> events = new ArrayList<>();
    private long offset = 4;
    private byte[] postHeaders = POST_HEADERS;
    private boolean hasChecksums = true;
    private boolean hasPositions = true;

    List<byte[]> events() {
        return events;
    }

    long offset() {
        return offset;
    }

    /** @param lengths of the types from 1 on */
    Log withPostHeaders(byte[] lengths) {
        postHeaders = lengths;
        return this;
    }

    Log withoutChecksums() {
        hasChecksums = false;
        return this;
    }

    Log withoutPositions() {
        hasPositions = false;
        return this;
    }

    Log withPositions() {
        hasPositions = true;
        return this;
    }

    /** The events that a server makes when a reader begins. */
    Log begin() {
        artificial(4, bytes(little(4, 8), FILE.getBytes(StandardCharsets.UTF_8)));
        return format();
    }

    Log format() {
        byte[] body = formatBody();
        boolean had = hasChecksums;
        hasChecksums = true; // of this event there always is one
        add(15, body, 0);
        hasChecksums = had;
        return this;
    }

    byte[] formatBody() {
        byte[] version = Arrays.copyOf("9.7.4".getBytes(StandardCharsets.UTF_8), 50);
        return bytes(little(4, 2), version, little(0, 4), little(19, 1), postHeaders, little(hasChecksums ? 1 : 0, 1));
    }

    Log artificial(int type, byte[] body) {
        events.add(event(type, body, 0, 0x20));
        return this;
    }

    Log add(int type, byte[] body) {
        return add(type, body, 0);
    }

    private Log add(int type, byte[] body, int flags) {
        int size = 19 + body.length + (hasChecksums ? 4 : 0);
        offset += size;
        events.add(event(type, body, hasPositions ? offset : 0, flags));
        return this;
    }

    /** Bytes that are in the file, and are not sent. */
    Log leaveOut(int bytes) {
        offset += bytes;
        return this;
    }

    byte[] event(int type, byte[] body, long next, int flags) {
        int size = 19 + body.length + (hasChecksums ? 4 : 0);
        byte[] event = bytes(
                little(CREATED, 4),
                little(type, 1),
                little(1, 4),
                little(size, 4),
                little(next, 4),
                little(flags, 2),
                body);
        if (!hasChecksums) {
            return event;
        }
        CRC32 crc = new CRC32();
        crc.update(event);
        return bytes(event, little(crc.getValue(), 4));
    }

    Log query(String schema, String sql) {
        return query(schema, sql, new byte[0]);
    }

    Log query(String schema, String sql, byte[] status) {
        return add(2, queryBody(schema, sql.getBytes(StandardCharsets.UTF_8), status));
    }

    static byte[] queryBody(String schema, byte[] sql, byte[] status) {
        return bytes(
                little(5, 4),
                little(0, 4),
                little(schema.length(), 1),
                little(0, 2),
                little(status.length, 2),
                status,
                schema.getBytes(StandardCharsets.UTF_8),
                little(0, 1),
                sql);
    }

    /** A table with the columns INT, VARCHAR(40) and MEDIUMBLOB. */
    Log table(long id, String schema, String table) {
        return add(19, tableBody(id, schema, table));
    }

    static byte[] tableBody(long id, String schema, String table) {
        return tableBody(id, schema, table, hex("030ffc"), hex("a000" + "03"));
    }

    static byte[] tableBody(long id, String schema, String table, byte[] types, byte[] metadata) {
        return bytes(
                little(id, 6),
                little(1, 2),
                little(schema.length(), 1),
                schema.getBytes(StandardCharsets.UTF_8),
                little(0, 1),
                little(table.length(), 1),
                table.getBytes(StandardCharsets.UTF_8),
                little(0, 1),
                little(types.length, 1),
                types,
                little(metadata.length, 1),
                metadata,
                new byte[(types.length + 7) / 8]);
    }

    /** Rows behind the number of columns; the end of the statement. */
    Log rows(int type, long id, byte[] content) {
        boolean isSecond = type >= 30 && type < 40 || type >= 169;
        return add(type, bytes(little(id, 6), little(1, 2), isSecond ? little(2, 2) : new byte[0], content));
    }

    static byte[] row(int id, String note) {
        byte[] text = note.getBytes(StandardCharsets.UTF_8);
        return bytes(little(0, 1), little(id, 4), little(text.length, 1), text, little(2, 3), hex("abcd"));
    }

    Log commit() {
        return add(16, little(1, 8));
    }

    static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    static byte[] little(long value, int length) {
        return Arrays.copyOf(
                ByteBuffer.allocate(Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(value)
                        .array(),
                length);
    }

    static byte[] bytes(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
