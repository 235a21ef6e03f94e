package dev.blobmark.reencode.binlog;

import static dev.blobmark.reencode.binlog.Log.bytes;
import static dev.blobmark.reencode.binlog.Log.hex;
import static dev.blobmark.reencode.binlog.Log.little;
import static dev.blobmark.reencode.binlog.Log.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is found in events that are made byte by byte, and what ends the reading. */
class TableChangesTest {

    private static final KeyReader ID = new KeyReader(3, List.of(new KeyReader.Part("id", 0, false, 0)));
    private static final KeyReader BOTH =
            new KeyReader(3, List.of(new KeyReader.Part("note", 1, false, 0), new KeyReader.Part("id", 0, true, 0)));

    /** Keys and ends in their order. */
    private final List<String> found = new ArrayList<>();

    private TableChanges changes;

    private TableChanges reader(KeyReader key, TableName name, long offset, Optional<String> own) {
        changes = new TableChanges(name, key, new LogPosition(Log.FILE, offset), own, new TableChanges.Listener() {
            @Override
            public void changed(List<Object> changed) {
                found.add(changed.stream()
                        .map(part -> part instanceof BigDecimal number ? number.toPlainString() : (String) part)
                        .collect(Collectors.joining("/")));
            }

            @Override
            public void ended(LogPosition place, long fileCreatedSeconds) {
                assertThat(fileCreatedSeconds).isEqualTo(Log.CREATED);
                found.add("end " + place.offset());
            }
        });
        return changes;
    }

    private List<String> read(Log log) throws InterruptedException {
        return read(log, ID);
    }

    private List<String> read(Log log, KeyReader key) throws InterruptedException {
        TableChanges reader = reader(key, new TableName("shop", "orders", true), 4, Optional.empty());
        for (byte[] event : log.events()) {
            reader.read(event);
        }
        return found;
    }

    private void assertEnds(Log log, String reason) {
        found.clear();
        assertThatThrownBy(() -> read(log))
                .isInstanceOf(IncompleteLogException.class)
                .hasMessageContaining(reason);
    }

    private static Log log() {
        return new Log().begin();
    }

    private static byte[] insert(int... ids) {
        byte[] rows = hex("0307");
        for (int id : ids) {
            rows = bytes(rows, row(id, "n" + id));
        }
        return rows;
    }

    @Test
    void rowsOfTheTable() throws Exception {
        Log log = log().query("shop", "BEGIN")
                .table(8, "shop", "orders")
                .rows(30, 8, insert(1, -2))
                .table(8, "shop", "orders")
                .rows(31, 8, bytes(hex("030707"), row(5, "a"), row(6, "a")))
                .table(8, "shop", "orders")
                .rows(32, 8, bytes(hex("0307"), row(7, "x")))
                .commit();
        assertThat(read(log)).containsExactly("1", "-2", "5", "6", "7", "end " + log.offset());
        assertThat(changes.position()).isEqualTo(new LogPosition(Log.FILE, log.offset()));
    }

    @ParameterizedTest
    @ValueSource(ints = {23, 24, 25})
    void rowsOfTheFirstVersion(int type) throws Exception {
        byte[] content = type == 24 ? bytes(hex("030707"), row(5, "a"), row(5, "b")) : insert(5);
        assertThat(read(log().table(8, "shop", "orders").rows(type, 8, content)))
                .containsExactly("5");
    }

    @Test
    void otherTablesAreLeftOut() throws Exception {
        Log log = log().table(8, "shop", "Orders").table(9, "shop", "orders").table(10, "shop2", "orders");
        // no rows end the statement before the last ones
        log.add(30, bytes(little(8, 6), little(0, 2), little(2, 2), hex("ff")))
                .add(30, bytes(little(9, 6), little(0, 2), little(2, 2), insert(3)))
                .rows(30, 10, hex("ffff"));
        assertThat(read(log)).containsExactly("3");
    }

    @Test
    void namesWithoutCase() throws Exception {
        TableChanges reader = reader(ID, new TableName("shop", "orders", false), 4, Optional.empty());
        for (byte[] event :
                log().table(8, "Shop", "ORDERS").rows(30, 8, insert(3)).events()) {
            reader.read(event);
        }
        assertThat(found).containsExactly("3");
    }

    /** Images with only some columns: before, those of the primary key; after, those that were changed. */
    @Test
    void partsOfAKey() throws Exception {
        byte[] before = bytes(little(0, 1), little(-2, 4), little(1, 1), "a".getBytes(StandardCharsets.UTF_8));
        Log log = log().table(8, "shop", "orders")
                .rows(31, 8, bytes(hex("030301"), before, little(0, 1), little(9, 4)))
                .table(8, "shop", "orders")
                .rows(31, 8, bytes(hex("030304"), before, little(0, 1), little(1, 3), hex("ee")));
        assertThat(read(log, BOTH)).containsExactly("a/4294967294", "a/9", "a/4294967294");
    }

    /** Bits of NULL are those of the columns that the image has; the bits that are of no column may be anything. */
    @Test
    void nullsOfOtherColumns() throws Exception {
        byte[] nulls = bytes(little(2, 1), little(5, 4), little(2, 3), hex("abcd"));
        byte[] without = bytes(little(2, 1), little(6, 4));
        assertThat(read(log().table(8, "shop", "orders")
                        .rows(30, 8, bytes(hex("03ff"), nulls, row(7, "x")))
                        .table(8, "shop", "orders")
                        .rows(30, 8, bytes(hex("03fd"), without))))
                .containsExactly("5", "7", "6");
    }

    /** The log has BINARY without the zero bytes at its end. */
    @Test
    void aKeyOfBytesIsPadded() throws Exception {
        KeyReader padded = new KeyReader(3, List.of(new KeyReader.Part("note", 1, false, 4)));
        assertThat(read(log().table(8, "shop", "orders").rows(30, 8, insert(1)), padded))
                .containsExactly("n1\0\0");
    }

    /** The bitmap of more than eight columns has two bytes. */
    @ParameterizedTest
    @ValueSource(ints = {30, 31, 39, 166, 167})
    void rowsOfManyColumns(int type) throws Exception {
        byte[] types = bytes(hex("03".repeat(15)), hex("f5"));
        KeyReader last = new KeyReader(16, List.of(new KeyReader.Part("id", 14, false, 0)));
        boolean isUpdate = type == 31 || type == 39 || type == 167;
        byte[] bitmap = hex("01c0");
        byte[] image = bytes(hex("00"), little(3, 4), little(77, 4), little(1, 4), hex("aa"));
        byte[] second = bytes(hex("00"), little(4, 4), little(78, 4), little(1, 4), hex("bb"));
        byte[] images = isUpdate ? bytes(image, type == 39 ? hex("0101") : new byte[0], second) : image;
        byte[] head = bytes(hex("10"), bitmap, isUpdate ? bitmap : new byte[0]);
        Log log = log().add(19, Log.tableBody(8, "shop", "orders", types, hex("04")))
                .rows(type, 8, bytes(head, type >= 166 ? deflated(images) : images));
        assertThat(read(log, last)).isEqualTo(isUpdate ? List.of("77", "78") : List.of("77"));
    }

    @Test
    void aRowWithoutItsKeyEndsIt() {
        assertEnds(
                log().table(8, "shop", "orders")
                        .rows(30, 8, bytes(hex("0306"), little(0, 1), hex("0161"), hex("00000000"))),
                "does not have the column id of the key");
        assertEnds(
                log().table(8, "shop", "orders")
                        .rows(30, 8, bytes(hex("0307"), little(1, 1), hex("0161"), hex("000000"))),
                "NULL in the column id");
    }

    /** What a later version writes between the flags and the rows. */
    @Test
    void extraDataIsLeftOut() throws Exception {
        Log log = log().table(8, "shop", "orders")
                .add(30, bytes(little(8, 6), little(1, 2), little(5, 2), hex("aabbcc"), insert(3)));
        assertThat(read(log)).containsExactly("3");
    }

    /** It ends a statement whose tables were all left out. */
    @Test
    void rowsOfNoTable() throws Exception {
        Log log = log().table(8, "shop", "orders")
                .rows(30, 0xFF_FFFF, hex("ffff"))
                .commit();
        assertThat(read(log)).containsExactly("end " + log.offset());
    }

    /** The format says how long the id of a table is, and which types there are. */
    @Test
    void theLengthsOfTheFormat() throws Exception {
        byte[] lengths = new byte[30];
        lengths[18] = 6;
        lengths[29] = 6;
        byte[] names = Log.tableBody(8, "shop", "orders");
        Log log = new Log().withPostHeaders(lengths).begin();
        log.add(19, bytes(little(8, 4), java.util.Arrays.copyOfRange(names, 6, names.length)))
                .add(30, bytes(little(8, 4), little(1, 2), little(2, 2), insert(3)));
        assertThat(read(log)).containsExactly("3");
        assertEnds(
                log.add(31, bytes(little(8, 4), little(1, 2), little(2, 2), hex("0307"))),
                "the type UPDATE_ROWS, which its format does not have");
    }

    @Test
    void rowsOfAnotherFormEndIt() {
        assertEnds(log().rows(30, 8, insert(1)), "rows of a table that was not described");
        assertEnds(log().table(8, "shop", "orders").rows(30, 8, hex("0407")), "rows of 4 columns");
        assertEnds(
                log().add(19, Log.tableBody(8, "shop", "orders", hex("0303"), new byte[0]))
                        .rows(30, 8, hex("0203")),
                "2 columns in the log, and had 3");
        assertEnds(log().table(8, "shop", "orders").rows(30, 8, bytes(insert(1), hex("00"))), "another form");
        assertEnds(
                log().add(19, Log.tableBody(8, "shop", "orders", hex("03f40f"), hex("a000"))),
                "the type with the code 244");
        assertEnds(log().add(19, Log.tableBody(8, "shop", "orders", hex("030ffc"), hex("a0000300"))), "another form");
        assertEnds(log().table(8, "shop", "orders").commit(), "within a statement");
    }

    static IntStream unknownTypes() {
        Set<Integer> known =
                java.util.Arrays.stream(EventType.values()).map(EventType::code).collect(Collectors.toSet());
        return IntStream.rangeClosed(0, 255).filter(type -> !known.contains(type));
    }

    /** A type that does not exist yet, whatever its flags say, alone or within a compressed transaction. */
    @ParameterizedTest
    @MethodSource("unknownTypes")
    void anUnknownTypeEndsIt(int type) throws Exception {
        assertEnds(log().add(type, hex("00")), "an event of the type " + type + ", which is not known");
        Log ignorable = log();
        ignorable.events().add(ignorable.event(type, hex("00"), ignorable.offset() + 24, 0x80));
        assertEnds(ignorable, "an event of the type " + type);
        Log within = new Log().withoutChecksums();
        within.add(type, hex("00"));
        assertEnds(log().add(40, payload(within, 0)), "an event of the type " + type);
    }

    @Test
    void whatIsKnownToBeMissingEndsIt() {
        assertEnds(log().add(26, little(1, 2)), "the server has lost events of its log");
        assertEnds(log().add(172, hex("00")), "PARTIAL_ROW_DATA");
        assertEnds(log().add(17, hex("00")), "LOAD DATA is logged as a statement");
        assertEnds(log().add(9, hex("00")), "LOAD DATA is logged as a statement");
    }

    /** Fields of a compressed transaction, as MySQL 9.7.4 writes them. */
    private static byte[] payload(Log within, int compression) {
        byte[] events = bytes(within.events().toArray(byte[][]::new));
        byte[] compressed = compression == 0 ? Zstd.compress(events) : events;
        byte[] kind = compression == 255 ? hex("fcff00") : little(compression, 1);
        byte[] size =
                compressed.length < 251 ? little(compressed.length, 1) : bytes(hex("fc"), little(compressed.length, 2));
        return bytes(
                hex("02"),
                little(kind.length, 1),
                kind,
                hex("01"),
                little(size.length, 1),
                size,
                hex("00"),
                compressed);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 255})
    void compressedTransactions(int compression) throws Exception {
        Log within = new Log().withoutChecksums();
        within.query("shop", "BEGIN")
                .table(8, "shop", "orders")
                .rows(30, 8, insert(1, 2))
                .commit();
        Log log = log().add(40, payload(within, compression));
        assertThat(read(log)).containsExactly("1", "2", "end " + log.offset());
    }

    @Test
    void compressedTransactionsOfAnotherFormEndIt() {
        Log within = new Log().withoutChecksums();
        within.query("shop", "BEGIN")
                .table(8, "shop", "orders")
                .rows(30, 8, insert(1))
                .commit();
        assertEnds(log().add(40, payload(within, 1)), "compressed in a way that is not known");
        assertEnds(log().add(40, bytes(hex("0901aa00"))), "an unknown field 9");
        byte[] whole = payload(within, 255);
        assertEnds(log().add(40, java.util.Arrays.copyOf(whole, whole.length - 3)), "ends within an event");
        Log nested = new Log().withoutChecksums();
        nested.add(15, hex("00"));
        assertEnds(log().add(40, payload(nested, 255)), "within a transaction");
        Log statement = new Log().withoutChecksums();
        statement.query("shop", "UPDATE shop.orders SET a = 1");
        assertEnds(log().add(40, payload(statement, 255)), "a statement instead of its rows");
        Log open = new Log().withoutChecksums();
        open.table(8, "shop", "orders");
        assertEnds(log().add(40, payload(open, 255)), "within a statement");
    }

    private static byte[] deflated(byte[] plain) throws Exception {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(compressed)) {
            out.write(plain);
        }
        return bytes(hex("82"), new byte[] {(byte) (plain.length >> 8), (byte) plain.length}, compressed.toByteArray());
    }

    @ParameterizedTest
    @ValueSource(ints = {166, 167, 168, 169, 170, 171})
    void compressedRows(int type) throws Exception {
        boolean isUpdate = type == 167 || type == 170;
        byte[] images = isUpdate ? bytes(row(5, "a"), row(6, "a")) : row(5, "a");
        byte[] content = bytes(hex(isUpdate ? "030707" : "0307"), deflated(images));
        Log log = log().table(8, "shop", "orders").rows(type, 8, content);
        assertThat(read(log)).isEqualTo(isUpdate ? List.of("5", "6") : List.of("5"));
    }

    @Test
    void compressedEventsOfAnotherFormEndIt() throws Exception {
        byte[] compressed = deflated(row(5, "a"));
        byte[] algorithm = compressed.clone();
        algorithm[0] = (byte) 0x92;
        byte[] length = compressed.clone();
        length[2]--;
        assertEnds(log().table(8, "shop", "orders").rows(166, 8, bytes(hex("0307"), algorithm)), "not known");
        assertEnds(log().table(8, "shop", "orders").rows(166, 8, bytes(hex("0307"), length)), "another length");
        byte[] longer = compressed.clone();
        longer[2]++;
        assertEnds(log().table(8, "shop", "orders").rows(166, 8, bytes(hex("0307"), longer)), "another length");
    }

    @Test
    void compressedStatements() throws Exception {
        byte[] begin = Log.queryBody("shop", deflated("BEGIN".getBytes(StandardCharsets.UTF_8)), new byte[0]);
        assertThat(read(log().add(165, begin))).isEmpty();
        byte[] update =
                Log.queryBody("shop", deflated("UPDATE x SET a = 1".getBytes(StandardCharsets.UTF_8)), new byte[0]);
        assertEnds(log().add(165, update), "a statement instead of its rows");
    }

    /** The differences of JSON values have the length of a value before them. */
    @Test
    void partialUpdates() throws Exception {
        byte[] types = hex("f503f5");
        byte[] before = bytes(little(0, 1), little(2, 4), hex("aabb"), little(7, 4), little(1, 4), hex("cc"));
        byte[] whole = bytes(little(0, 1), hex("00"), little(1, 4), hex("dd"), little(8, 4), little(1, 4), hex("ee"));
        byte[] partial = bytes(
                hex("01"), hex("02"), little(0, 1), little(1, 4), hex("dd"), little(9, 4), little(3, 4), hex("eeeeee"));
        byte[] content = bytes(
                hex("030707"),
                before,
                hex("00"),
                little(0, 1),
                little(1, 4),
                hex("dd"),
                little(8, 4),
                little(1, 4),
                hex("ee"),
                before,
                partial);
        KeyReader second = new KeyReader(3, List.of(new KeyReader.Part("id", 1, false, 0)));
        Log log = log().add(19, Log.tableBody(8, "shop", "orders", types, hex("0404")))
                .rows(39, 8, content);
        assertThat(read(log, second)).containsExactly("7", "8", "7", "9");
        assertThat(whole).isNotEmpty();
        Log unknown = log().add(19, Log.tableBody(8, "shop", "orders", types, hex("0404")))
                .rows(39, 8, bytes(hex("030707"), before, hex("02")));
        found.clear();
        assertThatThrownBy(() -> read(unknown, second)).hasMessageContaining("the unknown options 2");
    }

    @Test
    void nothingBetweenEventsIsMissing() {
        assertEnds(log().query("", "BEGIN").leaveOut(40).commit(), "something is missing");
        assertEnds(log().leaveOut(1_000).commit(), "something is missing");
        assertEnds(log().leaveOut(-10).commit(), "something is missing");
        assertEnds(log().commit().leaveOut(40).commit(), "something is missing");
        assertEnds(new Log().leaveOut(40).begin(), "something is missing");
        assertEnds(
                log().table(8, "shop", "orders")
                        .withoutPositions()
                        .rows(30, 8, insert(1))
                        .leaveOut(10)
                        .withPositions()
                        .commit(),
                "something is missing");
    }

    /** MariaDB does not send the event that begins the encryption of a file, of at most 64 bytes here. */
    @Test
    void anEncryptedFileLacksAnEvent() throws Exception {
        assertEnds(log().leaveOut(65).commit(), "something is missing");
        found.clear();
        Log log = log().leaveOut(64)
                .table(8, "shop", "orders")
                .rows(30, 8, insert(1))
                .commit();
        assertThat(read(log)).containsExactly("1", "end " + log.offset());
    }

    /** In the middle of a file, nothing is left out. */
    @Test
    void readingBeginsAtItsPlace() throws Exception {
        Log log = new Log().begin().query("", "BEGIN");
        long place = log.offset();
        log.commit();
        List<byte[]> events = log.events();
        TableChanges reader = reader(ID, new TableName("shop", "orders", true), place, Optional.empty());
        reader.read(events.get(0));
        reader.read(events.get(1));
        reader.read(events.get(3));
        assertThat(found).containsExactly("end " + log.offset());
        TableChanges gap = reader(ID, new TableName("shop", "orders", true), place - 20, Optional.empty());
        gap.read(events.get(0));
        gap.read(events.get(1));
        assertThatThrownBy(() -> gap.read(events.get(3))).hasMessageContaining("something is missing");
    }

    /** MariaDB 11.4 writes no places within a transaction. */
    @Test
    void eventsWithoutAPlace() throws Exception {
        Log log = log().withoutPositions()
                .query("", "BEGIN")
                .table(8, "shop", "orders")
                .rows(30, 8, insert(1))
                .withPositions()
                .commit();
        assertThat(read(log)).containsExactly("1", "end " + log.offset());
    }

    @Test
    void eventsWithoutChecksums() throws Exception {
        Log log = new Log()
                .withoutChecksums()
                .begin()
                .table(8, "shop", "orders")
                .rows(30, 8, insert(1))
                .commit();
        assertThat(read(log)).containsExactly("1", "end " + log.offset());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aDamagedEventEndsIt(int number) {
        Log log = log().query("", "BEGIN").commit();
        byte[] event = log.events().get(number);
        event[event.length - 6] ^= 1;
        assertEnds(log, "another checksum");
    }

    @Test
    void anEventThatIsCutEndsIt() {
        Log log = log().query("", "BEGIN");
        byte[] event = log.events().remove(2);
        log.events().add(java.util.Arrays.copyOf(event, event.length - 1));
        assertEnds(log, "an event of");
        Log empty = log();
        empty.events().add(new byte[5]);
        assertEnds(empty, "an event of the type unknown");
    }

    @Test
    void anUnknownFormatEndsIt() {
        Log log = new Log().begin();
        byte[] format = log.events().get(1);
        format[format.length - 5] = 9;
        java.util.zip.CRC32 crc = new java.util.zip.CRC32();
        crc.update(format, 0, format.length - 4);
        System.arraycopy(little(crc.getValue(), 4), 0, format, format.length - 4, 4);
        assertEnds(log, "the checksum algorithm 9");
        Log none = new Log();
        none.commit();
        assertEnds(none, "without a description of its format");
        Log begin = new Log();
        begin.query("", "BEGIN");
        assertEnds(begin, "without a description of its format");
    }

    private static byte[] rotation(String file) {
        return bytes(little(4, 8), file.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void filesFollowOnEachOther() throws Exception {
        Log first = log().query("", "BEGIN").commit().add(4, rotation("log.000008"));
        TableChanges reader = reader(ID, new TableName("shop", "orders", true), 4, Optional.empty());
        for (byte[] event : first.events()) {
            reader.read(event);
        }
        Log second = new Log();
        second.artificial(4, rotation("log.000008"));
        second.format().table(8, "shop", "orders").rows(30, 8, insert(4)).commit();
        for (byte[] event : second.events()) {
            reader.read(event);
        }
        assertThat(found).containsExactly("end " + (first.offset() - 19 - 18 - 4), "4", "end " + second.offset());
        assertThat(changes.position().file()).isEqualTo("log.000008");
    }

    /** A file that the server did not end itself has no rotation; the server says which one it sends next. */
    @Test
    void aFileWithoutAnEndIsFollowedByTheNextOne() throws Exception {
        Log log = log().commit().artificial(4, rotation("log.000008"));
        assertThat(read(log)).hasSize(1);
        assertThat(changes.position()).isEqualTo(new LogPosition("log.000008", 4));
        assertThat(changes.position().isBegin()).isTrue();
        assertEnds(log().artificial(4, rotation("log.0000071")), "one between is missing");
        assertEnds(log().add(4, rotation(Log.FILE)), "one between is missing");
    }

    /** What the server makes for the reader is not in the file, whatever place it has. */
    @ParameterizedTest
    @CsvSource({"0, 0", "0, 32", "777, 32"})
    void whatTheServerMakesHasNoPlace(int place, int flags) throws Exception {
        Log log = new Log();
        log.events().add(log.event(4, rotation(Log.FILE), place, flags));
        log.format();
        log.events().add(log.event(4, rotation(Log.FILE), place, flags));
        log.events().add(log.event(15, log.formatBody(), place, flags));
        log.commit();
        assertThat(read(log)).containsExactly("end " + log.offset());
        assertThat(changes.fileCreatedSeconds()).hasValue((long) Log.CREATED);
    }

    /** A format that the server makes, before the first event of the file was read, is not that event. */
    @ParameterizedTest
    @CsvSource({"0, 0", "777, 32"})
    void theFormatMayComeTwice(int place, int flags) throws Exception {
        Log log = new Log();
        log.events().add(log.event(4, rotation(Log.FILE), 0, 0x20));
        log.events().add(log.event(15, log.formatBody(), place, flags));
        log.format().commit();
        assertThat(read(log)).containsExactly("end " + log.offset());
    }

    @Test
    void aFileBetweenIsMissing() {
        assertEnds(log().add(4, rotation("log.000009")), "one between is missing");
        assertEnds(log().add(4, rotation("other.000008")), "one between is missing");
        assertEnds(log().table(8, "shop", "orders").add(4, rotation("log.000008")), "within a statement");
        assertEnds(new Log().artificial(4, rotation("log.000008")), "begins with the file log.000008");
        Log ahead = new Log();
        ahead.artificial(4, bytes(little(400, 8), Log.FILE.getBytes(StandardCharsets.UTF_8)));
        assertEnds(ahead, "begins with the file");
    }

    @Test
    void heartbeats() throws Exception {
        Log log = log();
        log.events().add(log.event(27, Log.FILE.getBytes(StandardCharsets.UTF_8), log.offset(), 0));
        log.events().add(log.event(27, new byte[0], log.offset(), 0));
        log.events().add(log.event(41, hex("0101aa"), log.offset(), 0));
        log.commit();
        assertThat(read(log)).hasSize(1);
        Log other = log();
        other.events().add(other.event(27, "log.000009".getBytes(StandardCharsets.UTF_8), other.offset(), 0));
        assertEnds(other, "the server is in the file log.000009");
    }

    @Test
    void aStatementOfItsOwnIsLeftOut() throws Exception {
        String own = "RENAME TABLE `shop`.`orders` TO `shop`.`orders_old`";
        Log log = log().query("shop", own);
        TableChanges reader = reader(ID, new TableName("shop", "orders", true), 4, Optional.of(own));
        for (byte[] event : log.events()) {
            reader.read(event);
        }
        assertThat(found).containsExactly("end " + log.offset());
        assertThatThrownBy(() -> reader.read(
                        log.query("shop", "TRUNCATE orders").events().get(3)))
                .hasMessageContaining("TRUNCATE of the table");
        assertEnds(log, "RENAME of the table");
    }

    /** A prepared transaction has its rows before; XA COMMIT comes later. */
    @Test
    void preparedTransactions() throws Exception {
        Log log = log().query("", "XA START X'61',X'',1")
                .table(8, "shop", "orders")
                .rows(30, 8, insert(1))
                .query("", "XA END X'61',X'',1");
        log.add(38, hex("00"));
        long prepared = log.offset();
        log.query("", "XA COMMIT X'61',X'',1");
        assertThat(read(log)).containsExactly("1", "end " + prepared, "end " + log.offset());
    }

    private static Statement.Meaning meaning(String sql, String schema, long mode, int collation) {
        return new Statement(
                        sql.getBytes(StandardCharsets.UTF_8),
                        new Statement.Session(schema, collation, mode),
                        new TableName("shop", "orders", true))
                .meaning();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN",
                "START TRANSACTION",
                "SAVEPOINT `orders`",
                "ROLLBACK TO `orders`",
                "RELEASE SAVEPOINT x",
                "XA START 'a'",
                "XA END 'a'",
                "CREATE TEMPORARY TABLE orders (a INT)",
                "DROP /*!40005 TEMPORARY */ TABLE IF EXISTS `orders`",
                "DROP TEMPORARY TABLE IF EXISTS `orders` /* generated by server */",
                "ROLLBACK WORK TO SAVEPOINT a",
                "/* only a comment */",
                "-- orders"
            })
    void withinATransaction(String sql) {
        assertThat(meaning(sql, "shop", 0, 45)).isInstanceOf(Statement.Meaning.Harmless.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                "COMMIT --",
                "COMMIT /*!50000",
                "/*/ x */ COMMIT",
                "# orders\nCOMMIT",
                "-- orders\nCOMMIT",
                "ROLLBACK",
                "ROLLBACK WORK",
                "XA COMMIT 'a'",
                "XA ROLLBACK 'a'",
                "GRANT ALL ON shop.orders TO a",
                "REVOKE ALL ON orders FROM a",
                "ANALYZE TABLE orders",
                "ANALYZE LOCAL TABLES orders",
                "OPTIMIZE NO_WRITE_TO_BINLOG TABLE x",
                "ALTER TABLE o ADD COLUMN orders INT",
                "ALTER TABLE o RENAME COLUMN a TO orders, ADD INDEX orders (a)",
                "SET STATEMENT lock_wait_timeout=5 FOR ALTER TABLE o ADD a INT",
                "CREATE TRIGGER t AFTER INSERT ON other FOR EACH ROW UPDATE orders SET a = 1",
                "CREATE TABLE other",
                "CREATE TABLE other LIKE orders",
                "CREATE TABLE other (`select` INT) PARTITION BY RANGE (`select`) (PARTITION p VALUES LESS THAN (1))",
                "CREATE TABLE other (a INT) START TRANSACTION",
                "CREATE OR REPLACE TABLE other (a INT)",
                "CREATE TABLE `orders``` (a INT)",
                "ALTER ONLINE TABLE other ADD a INT",
                "ALTER /*M!100301 IGNORE */ TABLE other ADD a INT",
                "ALTER TABLE o RENAME COLUMN orders TO a",
                "ALTER TABLE a COMMENT 'ü'",
                "DROP TABLE `a\\`, `b`",
                "DROP INDEX orders ON other",
                "TRUNCATE orders_x",
                "TRUNCATE orders$x",
                "TRUNCATE x_orders",
                "TRUNCATE ordersÀorders",
                "CREATE TABLE IF NOT EXISTS shop.other (a INT REFERENCES orders (id))",
                "CREATE TABLE shop2.orders (a INT)",
                "ALTER TABLE shop2.orders ADD a INT",
                "ALTER TABLE `Orders` ADD a INT",
                "ALTER TABLE other COMMENT 'orders'",
                "DROP TABLE other, shop2.orders",
                "TRUNCATE TABLE other",
                "TRUNCATE shop2.`orders`",
                "TRUNCATE shop2 . orders",
                "CREATE VIEW v AS SELECT * FROM orders",
                "CREATE /*!50001 ALGORITHM=UNDEFINED */ /*!50013 SQL SECURITY DEFINER */ VIEW v AS SELECT 1",
                "ALTER SQL SECURITY INVOKER VIEW v AS SELECT 1",
                "CREATE DEFINER=`a`@`%` TRIGGER t AFTER INSERT ON other FOR EACH ROW SET @a = 1",
                "CREATE OR REPLACE ALGORITHM=MERGE DEFINER=`a`@`%` SQL SECURITY DEFINER VIEW v AS SELECT 1",
                "ALTER DEFINER=`a`@`%` VIEW v AS SELECT * FROM orders",
                "ALTER ALGORITHM=UNDEFINED VIEW v AS SELECT 1",
                "DROP VIEW orders_v",
                "CREATE DEFINER=`root`@`localhost` PROCEDURE p() UPDATE orders SET a = 1",
                "CREATE FUNCTION f() RETURNS INT RETURN 1",
                "CREATE DEFINER=CURRENT_USER() EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM orders",
                "DROP PROCEDURE p",
                "CREATE USER orders",
                "ALTER USER a IDENTIFIED BY 'orders'",
                "RENAME USER a TO b",
                "SET PASSWORD FOR a = 'x'",
                "CREATE DATABASE orders",
                "DROP DATABASE other",
                "ALTER DATABASE shop CHARACTER SET utf8mb4",
                "CREATE INDEX orders ON other (a)",
                "CREATE TRIGGER t AFTER INSERT ON other FOR EACH ROW SET @a = 1",
                "DROP TRIGGER t",
                "RENAME TABLE a TO b"
            })
    void changesOfOtherThings(String sql) {
        assertThat(meaning(sql, "shop", 0, 45)).isInstanceOf(Statement.Meaning.End.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TRUNCATE TABLE orders",
                "TRUNCATE `shop`.`orders`",
                "TRUNCATE .orders",
                "TRUNCATE TABLE .orders",
                "TRUNCATE x '.' orders",
                "# x\nTRUNCATE orders",
                "/*M!100000 TRUNCATE TABLE orders */",
                "DROP TABLE IF EXISTS .orders",
                "DROP TABLE a, .orders",
                "DROP TABLES .orders",
                "RENAME TABLE .orders TO b",
                "RENAME TABLE a TO .orders",
                "ALTER TABLE .orders ADD a INT",
                "ALTER TABLE a RENAME .orders",
                "ALTER TABLE a RENAME TO .orders",
                "ALTER TABLES orders ADD a INT",
                "ALTER ONLINE TABLE orders ADD view INT",
                "ALTER TABLE a ALTER b SET DEFAULT (1--2), RENAME TO orders",
                "ALTER TABLE a COMMENT \"it's\", RENAME TO orders, COMMENT \"it's\"",
                "CREATE OR REPLACE TABLE .orders (a INT)",
                "CREATE OR REPLACE TABLE orders (a INT, view INT)",
                "CREATE TABLE shop.orders (a INT)",
                "CREATE TABLE other SELECT f(3) AS a",
                "create table other (a INT) as select f(3)",
                "CREATE TABLE other AS (SELECT f(3))",
                "CREATE TABLE other VALUES ROW(f(3))",
                "CREATE TEMPORARY TABLE other SELECT f(3)",
                "CREATE TABLE shop.",
                "CREATE TABLE IF NOT EXISTS",
                "CREATE TABLE .",
                "CREATE INDEX i ON .orders (a)",
                "CREATE INDEX orders",
                "CREATE TRIGGER `on` AFTER INSERT ON orders FOR EACH ROW SET @a = 1",
                "DROP TRIGGER orders",
                "CREATE",
                "CREATE OR REPLACE",
                "CREATE DEFINER=a",
                "ALTER",
                "ALTER ONLINE",
                "SET",
                "SET STATEMENT a=1 FOR",
                "truncate table /* x */ orders",
                "ALTER TABLE orders ADD a INT",
                "ALTER TABLE shop.orders TRUNCATE PARTITION p0",
                "ALTER TABLE other EXCHANGE PARTITION p WITH TABLE orders",
                "DROP TABLE a, orders",
                "RENAME TABLE orders TO b",
                "RENAME TABLE a TO shop.orders",
                "ALTER TABLE a RENAME TO orders",
                "CREATE OR REPLACE TABLE orders (a INT)",
                "CREATE TABLE orders (a INT)",
                "CREATE TABLE",
                "CREATE INDEX i ON orders (a)",
                "DROP INDEX i ON orders",
                "DROP DATABASE shop",
                "DROP SCHEMA `shop`",
                "CREATE DEFINER=`a`@`%` TRIGGER t BEFORE INSERT ON orders FOR EACH ROW SET NEW.a = 1",
                "ALTER TABLE \"orders\" ADD a INT",
                "/*!50000 ALTER TABLE orders ADD a INT */",
                "ALTER /*M!100301 IGNORE */ TABLE orders ADD a INT",
                "ALTER ONLINE TABLE orders ADD a INT",
                "UPDATE other SET a = 1",
                "ANALYZE UPDATE orders SET a = 1",
                "ANALYZE FORMAT=JSON DELETE FROM x",
                "SET STATEMENT a=1 FOR UPDATE x SET a = 1",
                "SET STATEMENT a=1 FOR ALTER TABLE orders ADD a INT",
                "SET STATEMENT a=1",
                "ALTER TABLE p CONVERT TABLE orders TO PARTITION q VALUES LESS THAN (1)",
                "ALTER TABLE IF EXISTS shop.orders ADD a INT",
                "ALTER TABLE a RENAME AS shop.orders",
                "ALTER TABLE a RENAME orders",
                "INSERT INTO other VALUES (1)",
                "DELETE FROM x",
                "REPLACE INTO x VALUES (1)",
                "CALL p()",
                "DO 1",
                "LOAD DATA INFILE 'x' INTO TABLE y",
                "WITH a AS (SELECT 1) DELETE FROM x",
                "SET @a = 1",
                "SELECT 1",
                "XA FORGET 'a'",
                "XA",
                "IMPORT TABLE FROM 'x'",
                "CREATE SOMETHING x",
                "ALTER SOMETHING x",
                "ALTER TABLE `x",
                "ALTER TABLE x COMMENT 'y",
                "ALTER TABLE x /* y",
                "ALTER ALGORITHM=COPY TABLE x",
                ")"
            })
    void changesOfTheTableOrUnknown(String sql) {
        assertThat(meaning(sql, "shop", 0, 45)).isInstanceOf(Statement.Meaning.Foreign.class);
    }

    @Test
    void namesAreThoseOfTheDefaultSchema() {
        assertThat(meaning("TRUNCATE orders", "other", 0, 45)).isInstanceOf(Statement.Meaning.End.class);
        assertThat(meaning("TRUNCATE .orders", "other", 0, 45)).isInstanceOf(Statement.Meaning.End.class);
        assertThat(meaning("TRUNCATE orders", "", 0, 45)).isInstanceOf(Statement.Meaning.Foreign.class);
        assertThat(meaning("TRUNCATE shop.orders", "other", 0, 45)).isInstanceOf(Statement.Meaning.Foreign.class);
        assertThat(meaning("TRUNCATE `shop` . `orders`", "other", 0, 45)).isInstanceOf(Statement.Meaning.Foreign.class);
    }

    /** A backslash may be an escape, or not, by the mode of the session. */
    @Test
    void stringsEndByTheModeOfTheSession() {
        String sql = "ALTER TABLE a COMMENT 'b\\', RENAME TO orders, COMMENT 'c'";
        assertThat(meaning(sql, "shop", 1L << 20, 45)).isInstanceOf(Statement.Meaning.Foreign.class);
        assertThat(meaning("ALTER TABLE a COMMENT 'it''s \\' orders'", "shop", 0, 45))
                .isInstanceOf(Statement.Meaning.End.class);
    }

    /** In these character sets, a byte that looks like a quote may be the second one of a letter. */
    @ParameterizedTest
    @CsvSource({"28", "13", "95", "1", "248", "1052"})
    void ambiguousCharacterSetsEndIt(int collation) {
        assertThat(meaning("ALTER TABLE a COMMENT 'ü'", "shop", 0, collation))
                .isInstanceOf(Statement.Meaning.Foreign.class);
        assertThat(meaning("ALTER TABLE a COMMENT 'u'", "shop", 0, collation))
                .isInstanceOf(Statement.Meaning.End.class);
    }

    /** The bytes from 128 on are those of such letters. */
    @Test
    void theFirstByteOfAmbiguousLetters() {
        assertThat(new Statement(
                                new byte[] {'C', 'O', 'M', 'M', 'I', 'T', ' ', (byte) 0x80},
                                new Statement.Session("shop", 28, 0),
                                new TableName("shop", "orders", true))
                        .meaning())
                .isInstanceOf(Statement.Meaning.Foreign.class);
    }

    /** Words have underscores and dollar signs, and a quoted name may have any character. */
    @ParameterizedTest
    @CsvSource({"a_b, a_b", "a$b, a$b", "_a, _a", "a`b, `a``b`", "a b, `a b`", "größe, größe"})
    void namesAreReadAsAWhole(String table, String written) {
        TableName name = new TableName("shop", table, true);
        assertThat(new Statement(
                                ("TRUNCATE " + written).getBytes(StandardCharsets.UTF_8),
                                new Statement.Session("shop", 45, 0),
                                name)
                        .meaning())
                .isInstanceOf(Statement.Meaning.Foreign.class);
    }

    /** A name of other letters than those of ASCII may be written in any character set. */
    @Test
    void namesOfOtherLetters() {
        TableName name = new TableName("shop", "größe", true);
        assertThat(new Statement(
                                "TRUNCATE gr\u00f6\u00dfe".getBytes(StandardCharsets.ISO_8859_1),
                                new Statement.Session("shop", 8, 0),
                                name)
                        .meaning())
                .isInstanceOf(Statement.Meaning.Foreign.class);
        assertThat(new Statement(
                                "TRUNCATE other".getBytes(StandardCharsets.UTF_8),
                                new Statement.Session("shop", 8, 0),
                                name)
                        .meaning())
                .isInstanceOf(Statement.Meaning.End.class);
    }

    /** Those that differ in letters of ASCII are other names; such as that of a table next to it. */
    @ParameterizedTest
    @CsvSource({"größe, true", "gräße, true", "Größe, false", "größe_blobmark_old, false", "größer, false", "öß, false"
    })
    void namesThatMayBeTheSame(String other, boolean mayBe) {
        TableName name = new TableName("shop", "größe", true);
        String bytes = new String(other.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        assertThat(name.isTable(bytes)).isEqualTo(mayBe);
        assertThat(name.isTable("grosse")).isFalse();
        assertThat(new TableName("shop", "€", true).isTable("\u0080")).isTrue(); // cp1252
    }

    /** The lower case of the Kelvin sign is the letter k. */
    @Test
    void lettersWhoseLowerCaseIsOfAscii() {
        TableName name = new TableName("shop", "kilo", false);
        String bytes = new String("\u212ailo".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        assertThat(name.isTable(bytes)).isTrue();
        assertThat(name.isTable("KILO")).isTrue();
        assertThat(new TableName("shop", "kilo", true).isTable(bytes)).isFalse();
    }

    /** In swe7, brackets are letters. */
    @Test
    void theCharacterSetWithoutBracketsEndsIt() {
        assertThat(meaning("TRUNCATE gr|~e", "shop", 0, 10)).isInstanceOf(Statement.Meaning.Foreign.class);
        assertThat(meaning("TRUNCATE gr@e", "shop", 0, 10)).isInstanceOf(Statement.Meaning.Foreign.class);
        assertThat(meaning("COMMIT", "shop", 0, 10)).isInstanceOf(Statement.Meaning.End.class);
    }

    /** Mode and character set of the session are in the variables of the event. */
    @Test
    void variablesOfTheSession() {
        byte[] status = bytes(
                hex("00"),
                hex("05050505"),
                hex("01"),
                little(1L << 20, 8),
                hex("0603"),
                hex("737464"),
                hex("04"),
                little(28, 2),
                little(0, 4),
                hex("ff"));
        assertEnds(log().query("shop", "ALTER TABLE a COMMENT 'ü'", status), "a character set that is not read");
        byte[] mode =
                bytes(hex("02"), hex("02"), hex("616200"), hex("03"), hex("05050505"), hex("01"), little(1L << 20, 8));
        String sql = "ALTER TABLE a COMMENT 'b\\', RENAME TO orders, COMMENT 'c'";
        assertEnds(log().query("shop", sql, mode), "ALTER of the table");
        // behind one that is not known, nothing is read
        byte[] unknown = bytes(hex("05"), hex("01"), little(1L << 20, 8));
        assertEnds(log().query("shop", sql, unknown), "a statement that cannot be read");
    }
}
