package dev.blobmark.reencode.binlog;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import dev.blobmark.reencode.binlog.EventType.Role;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Finds the changes of one table in the events of the binary log. Each event is one of three kinds: it is known to
 * change nothing of the table, or its changes of the table are found, or the reading ends with an
 * {@link IncompleteLogException}. Events are read in their order; between two of them no byte of the file is left out.
 *
 * <p>Of other tables only the names are read. Confined to one thread.
 */
public final class TableChanges {

    private static final int CHECKSUM_BYTES = 4;
    private static final int CRC32_CHECKSUM = 1;
    private static final int NO_CHECKSUM = 0;
    private static final int VERSION_BYTES = 2 + 50 + 4;
    static final int FIRST_OFFSET = 4;

    /** Of an event that some servers do not send after the first one of an encrypted file. */
    private static final int MAX_ENCRYPTION_EVENT = 64;

    private static final int STATEMENT_END = 1;
    private static final int DUMMY_TABLE = 0xFF_FFFF;
    private static final int PAYLOAD_END = 0;
    private static final int PAYLOAD_SIZE = 1;
    private static final int PAYLOAD_COMPRESSION = 2;
    private static final int PAYLOAD_UNCOMPRESSED_SIZE = 3;
    private static final int ZSTD = 0;
    private static final int PLAIN = 255;

    /** Receives what is found, in the order of the log. */
    public interface Listener {

        /** A row was inserted, changed or deleted, or had this key before or after it was changed. */
        void changed(List<Object> key) throws InterruptedException;

        /**
         * All before this place is of transactions that have ended.
         *
         * @param fileCreatedSeconds when the file of the place was begun, in seconds since 1970
         */
        void ended(LogPosition place, long fileCreatedSeconds) throws InterruptedException;
    }

    private final TableName table;
    private final KeyReader key;
    private final Optional<String> own;
    private final Listener listener;

    private String file;
    private long offset;
    private boolean isAtStart;
    private Optional<Format> format = Optional.empty();

    /** By the id of a table within the present statement. */
    private final Map<Long, Optional<TableMap>> tables = new HashMap<>();

    /**
     * What the first event of a file says of the others.
     *
     * @param postHeaders length of a type's fields before its own data, by code - 1
     */
    private record Format(long createdSeconds, int checksum, byte[] postHeaders) {

        int postHeader(EventType type) {
            int index = type.code() - 1;
            if (index >= postHeaders.length) {
                throw new IncompleteLogException(
                        "the log has an event of the type " + type + ", which its format does not have");
            }
            return Byte.toUnsignedInt(postHeaders[index]);
        }
    }

    /**
     * @param from where the first event begins that is read
     * @param own a statement of Blobmark's own that changes the table, and is left out
     */
    public TableChanges(TableName table, KeyReader key, LogPosition from, Optional<String> own, Listener listener) {
        this.table = table;
        this.key = key;
        this.own = own;
        this.listener = listener;
        file = from.file();
        offset = from.offset();
    }

    /** Where the next event begins. */
    public LogPosition position() {
        return new LogPosition(file, offset);
    }

    /** When the present file was begun, in seconds since 1970; empty before its first event was read. */
    public Optional<Long> fileCreatedSeconds() {
        return format.map(Format::createdSeconds);
    }

    /**
     * Reads an event.
     *
     * @param bytes as the server sends them
     * @throws IncompleteLogException if the log cannot be followed from here on
     */
    public void read(byte[] bytes) throws InterruptedException {
        EventHeader header = null;
        try {
            header = EventHeader.read(new Bytes(bytes));
            if (header.size() != bytes.length) {
                throw new IncompleteLogException("an event of " + header.size() + " bytes came with " + bytes.length);
            }
            EventType type = known(header);
            if (type.role() == Role.FORMAT) {
                requireChecksum(bytes, CRC32_CHECKSUM);
                format = Optional.of(format(header, bytes));
                advance(header, type);
                return;
            }
            Bytes body = body(bytes, type);
            switch (type.role()) {
                case ROTATE -> rotate(header, body);
                case HEARTBEAT -> heartbeat(body, type);
                default -> {
                    advance(header, type);
                    event(type, body, false);
                }
            }
        } catch (IncompleteLogException e) {
            throw new IncompleteLogException(e.getMessage() + " (" + position() + ")", e);
        } catch (IndexOutOfBoundsException | IllegalArgumentException | IOException | DataFormatException e) {
            throw new IncompleteLogException(
                    "an event of the type " + (header == null ? "unknown" : name(header.type()))
                            + " has another form than is known: " + e.getMessage() + " (" + position() + ")",
                    e);
        }
    }

    private static String name(int code) {
        return EventType.of(code).map(EventType::name).orElse(Integer.toString(code));
    }

    private static EventType known(EventHeader header) {
        return EventType.of(header.type())
                .orElseThrow(() -> new IncompleteLogException(
                        "the log has an event of the type " + header.type() + ", which is not known"));
    }

    private Format format() {
        return format.orElseThrow(
                () -> new IncompleteLogException("the log begins without a description of its format"));
    }

    /** The event's own part, without header and checksum. */
    private Bytes body(byte[] bytes, EventType type) {
        if (format.isEmpty() && type.role() == Role.ROTATE) { // the first event; whether it has a checksum is not known
            return new Bytes(bytes, EventHeader.BYTES, bytes.length);
        }
        int checksum = format().checksum();
        requireChecksum(bytes, checksum);
        return new Bytes(bytes, EventHeader.BYTES, bytes.length - (checksum == CRC32_CHECKSUM ? CHECKSUM_BYTES : 0));
    }

    private static void requireChecksum(byte[] bytes, int kind) {
        if (kind != CRC32_CHECKSUM) {
            return;
        }
        int length = bytes.length - CHECKSUM_BYTES;
        CRC32 checksum = new CRC32();
        checksum.update(bytes, 0, length);
        if (checksum.getValue() != new Bytes(bytes, length, bytes.length).little(CHECKSUM_BYTES)) {
            throw new IncompleteLogException("an event has another checksum than its bytes");
        }
    }

    private static Format format(EventHeader header, byte[] bytes) {
        Bytes body = new Bytes(bytes, EventHeader.BYTES, bytes.length);
        body.skip(VERSION_BYTES + 1L);
        byte[] postHeaders = body.bytes(body.left() - 1L - CHECKSUM_BYTES);
        int checksum = body.unsignedByte();
        if (checksum != NO_CHECKSUM && checksum != CRC32_CHECKSUM) {
            throw new IncompleteLogException("the log has the checksum algorithm " + checksum + ", which is not known");
        }
        return new Format(header.timestamp(), checksum, postHeaders);
    }

    /** No byte between two events may be missing. */
    private void advance(EventHeader header, EventType type) {
        boolean isRepeated = type.role() == Role.FORMAT && (offset > FIRST_OFFSET || !header.hasPosition());
        if (header.isArtificial() || isRepeated) {
            return; // the format is sent again when the server begins in the middle of a file
        }
        long next = offset + header.size();
        if (header.hasPosition() && (next & LogPosition.MAX_OFFSET) != header.nextPosition()) {
            long gap = header.nextPosition() - (next & LogPosition.MAX_OFFSET);
            boolean isEncryption = isAtStart && gap > 0 && gap <= MAX_ENCRYPTION_EVENT;
            if (!isEncryption) {
                throw new IncompleteLogException("the event after " + position() + " ends at " + header.nextPosition()
                        + ", and has " + header.size() + " bytes: something is missing");
            }
            next += gap;
        }
        isAtStart = type.role() == Role.FORMAT;
        offset = next;
    }

    private void rotate(EventHeader header, Bytes body) {
        long begin = body.little(Long.BYTES);
        String next = body.text(body.left());
        if (header.isArtificial() || !header.hasPosition()) {
            // before the format is known, a checksum may follow the name
            boolean isNamed = format.isEmpty() ? next.startsWith(file) : next.equals(file);
            if (isNamed && begin <= Math.max(offset, FIRST_OFFSET)) {
                return;
            }
            if (format.isEmpty()) {
                throw new IncompleteLogException("the server begins with the file " + next);
            }
        }
        if (!new LogPosition(file, 0).isBeforeFile(next)) {
            throw new IncompleteLogException("the file " + next + " follows on " + file + ": one between is missing");
        }
        requireNoTables();
        file = next;
        offset = FIRST_OFFSET;
    }

    private void requireNoTables() {
        if (!tables.isEmpty()) {
            throw new IncompleteLogException("a file of the log ends within a statement");
        }
    }

    /** The server has nothing to send, and says where it is. */
    private void heartbeat(Bytes body, EventType type) {
        if (type == EventType.HEARTBEAT && body.left() > 0) {
            String name = body.text(body.left());
            if (!name.equals(file)) {
                throw new IncompleteLogException("the server is in the file " + name + ", and the reader in " + file);
            }
        }
    }

    /** @param isPart of a compressed transaction, whose end is that of the whole */
    private void event(EventType type, Bytes body, boolean isPart)
            throws InterruptedException, IOException, DataFormatException {
        switch (type.role()) {
            case HARMLESS -> {}
            case COMMIT -> end(isPart);
            case QUERY -> query(body, type, isPart, false);
            case QUERY_COMPRESSED -> query(body, type, isPart, true);
            case TABLE_MAP -> {
                int postHeader = format().postHeader(type);
                Bytes whole = body.part(body.left());
                TableMap names = TableMap.names(whole.again(), postHeader);
                boolean isOurs = table.isOf(names.schema(), names.table());
                tables.put(names.id(), isOurs ? Optional.of(TableMap.read(whole, postHeader)) : Optional.empty());
            }
            case PAYLOAD -> payload(body);
            case STATEMENT ->
                throw new IncompleteLogException("LOAD DATA is logged as a statement (" + type
                        + "); a session has another binlog_format than ROW");
            case REFUSED ->
                throw new IncompleteLogException(
                        type == EventType.INCIDENT
                                ? "the server has lost events of its log (INCIDENT)"
                                : "the log has an event of the type " + type + ", which is not read");
            default -> {
                if (!type.hasRows()) {
                    throw new IncompleteLogException("an event of the type " + type + " within a transaction");
                }
                rows(type, body);
            }
        }
    }

    private void end(boolean isPart) throws InterruptedException {
        requireNoTables();
        if (!isPart) {
            listener.ended(position(), format().createdSeconds());
        }
    }

    private void rows(EventType type, Bytes body) throws InterruptedException, DataFormatException {
        long id = TableMap.id(body, format().postHeader(type));
        long flags = body.little(Short.BYTES);
        if (type.hasExtraData()) {
            body.skip(body.little(Short.BYTES) - Short.BYTES);
        }
        Optional<TableMap> map = tables.get(id);
        if (map == null && id != DUMMY_TABLE) {
            throw new IncompleteLogException("rows of a table that was not described before");
        }
        if (map != null && map.isPresent()) {
            for (List<Object> changed : key.read(type.role(), map.get(), uncompressed(type, body))) {
                listener.changed(changed);
            }
        }
        if ((flags & STATEMENT_END) != 0) {
            tables.clear();
        }
    }

    /** In compressed events, only the row images are compressed, not the numbers and bitmaps of columns before them. */
    private Bytes uncompressed(EventType type, Bytes rows) throws DataFormatException {
        int bitmaps = switch (type.role()) {
            case INSERT_COMPRESSED, DELETE_COMPRESSED -> 1;
            case UPDATE_COMPRESSED -> 2;
            default -> 0;
        };
        if (bitmaps == 0) {
            return rows;
        }
        Bytes all = rows.again();
        long columns = rows.packed();
        rows.skip(bitmaps * ((columns + Byte.SIZE - 1) / Byte.SIZE));
        byte[] plain = all.bytes(all.left() - rows.left());
        byte[] images = inflated(rows);
        byte[] whole = new byte[plain.length + images.length];
        System.arraycopy(plain, 0, whole, 0, plain.length);
        System.arraycopy(images, 0, whole, plain.length, images.length);
        return new Bytes(whole);
    }

    /** MariaDB: a byte with the algorithm (0: zlib) and the number of bytes of the length, which follows. */
    private static byte[] inflated(Bytes compressed) throws DataFormatException {
        int head = compressed.unsignedByte();
        if ((head & 0xF8) != 0x80) {
            throw new IncompleteLogException("an event is compressed in a way that is not known (" + head + ")");
        }
        byte[] plain = new byte[Math.toIntExact(compressed.big(head & 7))];
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(compressed.bytes(compressed.left()));
            int length = inflater.inflate(plain);
            if (length != plain.length || inflater.inflate(new byte[1]) != 0 || !inflater.finished()) {
                throw new IncompleteLogException("a compressed event has another length than it says");
            }
            return plain;
        } finally {
            inflater.end();
        }
    }

    private void query(Bytes body, EventType type, boolean isPart, boolean isCompressed)
            throws InterruptedException, DataFormatException {
        body.skip(2 * Integer.BYTES);
        int schemaLength = body.unsignedByte();
        body.skip(Short.BYTES);
        Bytes status = body.part(body.little(Short.BYTES));
        String schema = body.text(schemaLength);
        body.skip(1);
        byte[] sql = isCompressed ? inflated(body) : body.bytes(body.left());
        if (own.isPresent() && own.get().equals(new Bytes(sql).text(sql.length))) {
            end(isPart);
            return;
        }
        Statement.Meaning meaning = new Statement(sql, session(schema, status), table).meaning();
        if (meaning instanceof Statement.Meaning.Foreign foreign) {
            throw new IncompleteLogException("the log has " + foreign.reason() + ": " + shortened(sql));
        }
        if (meaning instanceof Statement.Meaning.End) {
            end(isPart);
        }
    }

    private static String shortened(byte[] sql) {
        String text = new Bytes(sql).text(sql.length).replaceAll("\\s+", " ");
        int most = 100;
        return text.length() <= most ? text : text.substring(0, text.offsetByCodePoints(0, most)) + " …";
    }

    /** Up to the collation: the variables before it have known lengths, and are in the order of their codes. */
    private static Statement.Session session(String schema, Bytes status) {
        long sqlMode = 0;
        int collation = 0;
        boolean isOver = false;
        while (!isOver && status.left() > 0) {
            switch (status.unsignedByte()) {
                case 0, 3 -> status.skip(Integer.BYTES);
                case 1 -> sqlMode = status.little(Long.BYTES);
                case 2 -> status.skip(status.unsignedByte() + 1L);
                case 4 -> {
                    collation = (int) status.little(Short.BYTES);
                    isOver = true;
                }
                case 6 -> status.skip(status.unsignedByte());
                default -> isOver = true;
            }
        }
        return new Statement.Session(schema, collation, sqlMode);
    }

    /** Fields of a type, a length and a value; then the events of a transaction, without checksums. */
    private void payload(Bytes body) throws InterruptedException, IOException, DataFormatException {
        long compression = -1;
        long field;
        while ((field = body.packed()) != PAYLOAD_END) {
            Bytes value = body.part(body.packed());
            switch ((int) field) {
                case PAYLOAD_COMPRESSION -> compression = value.packed();
                case PAYLOAD_SIZE, PAYLOAD_UNCOMPRESSED_SIZE -> {}
                default -> throw new IncompleteLogException("a compressed transaction has an unknown field " + field);
            }
        }
        InputStream compressed = new ByteArrayInputStream(body.bytes(body.left()));
        if (compression != ZSTD && compression != PLAIN) {
            throw new IncompleteLogException(
                    "a transaction is compressed in a way that is not known (" + compression + ")");
        }
        try (InputStream events = compression == PLAIN ? compressed : new ZstdInputStreamNoFinalizer(compressed)) {
            byte[] start = events.readNBytes(EventHeader.BYTES);
            while (start.length > 0) {
                EventHeader header = EventHeader.read(new Bytes(start));
                byte[] rest = events.readNBytes(Math.toIntExact(header.size() - EventHeader.BYTES));
                if (rest.length != header.size() - EventHeader.BYTES) {
                    throw new IncompleteLogException("a compressed transaction ends within an event");
                }
                event(known(header), new Bytes(rest), true);
                start = events.readNBytes(EventHeader.BYTES);
            }
        }
        end(false);
    }
}
