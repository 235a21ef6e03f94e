package dev.blobmark.lab.dataset;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * Orders of a shop as JSON, whose keys are always the same: what a dictionary is for. A value of 40 bytes or more is a
 * complete document. A shorter one is the beginning of a document.
 */
final class Orders extends GeneratedDataset {

    private static final byte[] BEGIN = "{\"id\":\"".getBytes(US_ASCII);
    private static final byte[] CUSTOMER = "\",\"customer\":{\"name\":\"".getBytes(US_ASCII);
    private static final byte[] EMAIL = "\",\"email\":\"".getBytes(US_ASCII);
    private static final byte[] LINES = "@example.com\"},\"lines\":[".getBytes(US_ASCII);
    private static final byte[] SKU = "{\"sku\":\"".getBytes(US_ASCII);
    private static final byte[] QUANTITY = "\",\"quantity\":".getBytes(US_ASCII);
    private static final byte[] PRICE = ",\"unit_price_cents\":".getBytes(US_ASCII);
    private static final byte[] CURRENCY = ",\"currency\":\"EUR\"}".getBytes(US_ASCII);
    private static final byte[] NOTE = ",\"note\":\"".getBytes(US_ASCII);
    private static final byte[] NOTE_WITHOUT_LINES = "\",\"note\":\"".getBytes(US_ASCII);
    private static final byte[] END = "\"}".getBytes(US_ASCII);

    private static final int ID_DIGITS = 16;
    private static final String HEX = "0123456789abcdef";
    private static final List<byte[]> WORDS = List.of(
                    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty", "knoll",
                    "larch", "maple", "north", "ocean", "pearl")
            .stream()
            .map(word -> word.getBytes(US_ASCII))
            .toList();

    private static final int WORD_LENGTH = 5;

    /** Lengths of the parts at most. */
    private static final int CUSTOMER_BYTES = CUSTOMER.length + EMAIL.length + LINES.length + 3 * WORD_LENGTH + 6;

    private static final int LINE_BYTES =
            1 + SKU.length + WORD_LENGTH + 6 + QUANTITY.length + 2 + PRICE.length + 6 + CURRENCY.length;

    /** What is left after the lines for a note. */
    private static final int MIN_NOTE = 10;

    private static final int MAX_NOTE = 90;

    Orders() {
        super("orders");
    }

    @Override
    long possible(int size) {
        int digits = size - BEGIN.length;
        return digits <= 0 ? 1 : digits >= ID_DIGITS ? Long.MAX_VALUE : 1L << 4 * digits;
    }

    @Override
    byte[] numbered(int size, long number) {
        byte[] value = new byte[size];
        System.arraycopy(BEGIN, 0, value, 0, Math.min(size, BEGIN.length));
        for (int i = BEGIN.length; i < size; i++) {
            value[i] = (byte) HEX.charAt((int) number & 0xF);
            number >>>= 4;
        }
        return value;
    }

    @Override
    byte[] drawn(int size, UniformRandomProvider random) {
        Text text = new Text(size, random);
        text.add(BEGIN);
        text.hex(ID_DIGITS);
        byte[] note = NOTE_WITHOUT_LINES;
        if (text.left() >= CUSTOMER_BYTES + LINE_BYTES + 1 + NOTE.length + MIN_NOTE + END.length) {
            customer(text);
            lines(text);
            note = NOTE;
        }
        text.add(note);
        text.words(text.left() - END.length);
        text.add(END);
        return text.bytes;
    }

    private static void customer(Text text) {
        text.add(CUSTOMER);
        text.word();
        text.add(' ');
        text.word();
        text.add(EMAIL);
        text.word();
        text.number(1_000_000);
        text.add(LINES);
    }

    private static void lines(Text text) {
        int tail = 1 + NOTE.length + MIN_NOTE + END.length;
        boolean isFirst = true;
        while (text.left() >= LINE_BYTES + tail && (isFirst || text.left() > MAX_NOTE + tail)) {
            if (!isFirst) {
                text.add(',');
            }
            isFirst = false;
            text.add(SKU);
            text.word();
            text.add('-');
            text.number(100_000);
            text.add(QUANTITY);
            text.number(100);
            text.add(PRICE);
            text.number(1_000_000);
            text.add(CURRENCY);
        }
        text.add(']');
    }

    /** Bytes that are filled from the beginning; what does not fit is left out. */
    private static final class Text {

        private final byte[] bytes;
        private final UniformRandomProvider random;
        private int length;

        Text(int size, UniformRandomProvider random) {
            bytes = new byte[size];
            this.random = random;
        }

        int left() {
            return bytes.length - length;
        }

        void add(byte[] part) {
            int added = Math.min(part.length, left());
            System.arraycopy(part, 0, bytes, length, added);
            length += added;
        }

        void add(char letter) {
            if (left() > 0) {
                bytes[length++] = (byte) letter;
            }
        }

        void hex(int digits) {
            long bits = random.nextLong();
            for (int i = 0; i < digits; i++) {
                add(HEX.charAt((int) bits & 0xF));
                bits >>>= 4;
            }
        }

        void word() {
            add(WORDS.get((int) random.nextLong() & 0xF));
        }

        /** 0 to less than the limit, which is far below 2^32, so that small numbers are hardly more frequent. */
        void number(int limit) {
            add(Long.toString((random.nextLong() >>> 32) % limit).getBytes(US_ASCII));
        }

        /** Words of this length in all. */
        void words(int count) {
            int end = length + Math.max(0, count);
            while (length < end) {
                long bits = random.nextLong();
                for (int i = 0; i < 16 && length < end; i++) {
                    byte[] word = WORDS.get((int) bits & 0xF);
                    bits >>>= 4;
                    for (int at = 0; at < word.length && length < end; at++) {
                        add((char) word[at]);
                    }
                    if (length < end) {
                        add(' ');
                    }
                }
            }
        }
    }
}
