package dev.blobmark.lab.dataset;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * A trie of URLs with UUIDs, times and counters, in protobuf's wire format: a stand-in for the data of D. Komanov,
 * "Java Compression Performance" (2023), which is not public. One set of parameters serves all sizes; they were chosen
 * so that the mean ratios of the codecs, and their increase with size, are close to the published ones
 * (docs/datasets.md).
 *
 * <pre>{@code
 * message Sites {
 *   bytes id = 1;              // UUID
 *   fixed64 created = 2;       // ms since 1970
 *   uint32 version = 3;
 *   repeated Node node = 4;
 *   uint32 filler = 14;        // 0; present if `rest` alone cannot give the exact size
 *   bytes rest = 15;           // the beginning of the next node, as far as the size allows
 * }
 * message Node {
 *   uint32 parent = 1;         // distance to the parent in nodes; 0: a root
 *   string label = 2;          // the trie's edge: host, path, query
 *   bytes document = 3;        // UUID
 *   uint64 changed = 4;        // ms since 1970, rising
 *   uint32 visits = 5;
 *   bytes hash = 6;            // SHA-512; with a document's first occurrence, only in large values
 * }
 * }</pre>
 *
 * <p>Labels and documents are new with the probability of a Pitman-Yor process, so their number grows as a power of the
 * trie's size. New ones become rarer towards the end of a value, so larger values are more compressible. The others
 * repeat those of an earlier node at a log-uniform distance: most within the window of every codec, some only within
 * the largest windows.
 *
 * <p>A value of one byte has no field and is any byte. All longer values can be parsed.
 */
final class Sites extends GeneratedDataset {

    // strength and discount of the Pitman-Yor process of labels
    private static final double LABEL_STRENGTH = 80;
    private static final double LABEL_DISCOUNT = 0.6;

    // strength and discount of the Pitman-Yor process of documents
    private static final double DOCUMENT_STRENGTH = 12;
    private static final double DOCUMENT_DISCOUNT = 0.57;

    // the shares of new labels that begin with a host and that end with a query
    private static final double HOST_SHARE = 0.15;
    private static final double QUERY_SHARE = 0.25;

    private static final int MAX_SEGMENTS = 3;
    private static final int MAX_PARAMETERS = 2;
    private static final int MAX_PARENT_DISTANCE = 256;
    private static final int MAX_VISITS = 64;
    private static final int MAX_STEP_MILLIS = 16_000;

    /**
     * Longer values have hashes (from about 1,000 nodes on): the published ratios drop between 81,207 and 94,417 bytes.
     */
    private static final int LARGE = 85 << 10;

    private static final long FIRST_CREATED_MILLIS = 1_500_000_000_000L;
    private static final int CREATED_RANGE_MILLIS = 1 << 30;

    private static final byte[][] TOP_DOMAINS = bytes(".com .org .net .de .co.uk .fr .ru .io");
    private static final byte[][] SEGMENTS = bytes("""
            article articles blog category products product images static assets news archive user users profile search \
            tag tags forum thread comments gallery media api v1 v2 download docs help shop cart item items events page \
            feed video photos music sport travel weather stories reviews catalog""");
    private static final byte[][] PARAMETERS =
            bytes("id page sort ref utm_source utm_medium utm_campaign lang q session "
                    + "view format size token category from to limit offset type");
    private static final byte[][] SYLLABLES =
            bytes("ba ro ne ti la mo ka shi ver den cor lin tex pra sol gan mar wen dor "
                    + "fi gu hal jen kel lum nor pel qui ras sta tur vi");

    private static final int UUID_BYTES = 16;
    private static final int HASH_BYTES = 64;

    private static final byte ID = 1 << 3 | 2;
    private static final byte CREATED = 2 << 3 | 1;
    private static final byte VERSION = 3 << 3;
    private static final byte NODE = 4 << 3 | 2;
    private static final byte FILLER = 14 << 3;
    private static final byte REST = 15 << 3 | 2;

    private static final byte PARENT = 1 << 3;
    private static final byte LABEL = 2 << 3 | 2;
    private static final byte DOCUMENT = 3 << 3 | 2;
    private static final byte CHANGED = 4 << 3;
    private static final byte VISITS = 5 << 3;
    private static final byte HASH = 6 << 3 | 2;

    Sites() {
        super("sites");
    }

    private static byte[][] bytes(String words) {
        return Stream.of(words.split(" ")).map(word -> word.getBytes(US_ASCII)).toArray(byte[][]::new);
    }

    @Override
    long possible(int size) {
        return switch (size) {
            case 1 -> 1 << 8;
            case 2 -> 1 << 7;
            default -> size < 9 ? 1L << 8 * (size - 2) : Long.MAX_VALUE;
        };
    }

    @Override
    byte[] numbered(int size, long number) {
        byte[] value = new byte[size];
        switch (size) {
            case 1 -> value[0] = (byte) number;
            case 2 -> {
                value[0] = VERSION;
                value[1] = (byte) number;
            }
            default -> {
                value[0] = REST;
                value[1] = (byte) (size - 2);
                for (int i = 2; i < size; i++) {
                    value[i] = (byte) number;
                    number >>>= 8;
                }
            }
        }
        return value;
    }

    @Override
    byte[] drawn(int size, UniformRandomProvider random) {
        return new SiteWriter(size, random).write();
    }

    /** Writes one value. Repetitions are copied from an earlier node. */
    private static final class SiteWriter {

        /** More than any message takes: a label has at most 111 characters, a node at most 178 bytes. */
        private static final int MAX_MESSAGE_BYTES = 256;

        /** Space before a message for its tag and its length. */
        private static final int HEADER_BYTES = 3;

        private final UniformRandomProvider random;
        private final byte[] value;
        private int length;

        private final byte[] message = new byte[MAX_MESSAGE_BYTES];
        private int start;
        private int end;

        private int nodes;
        private int labels;
        private int documents;
        private int[] labelAt = new int[64];
        private int[] documentAt = new int[64];
        private long changedMillis;

        SiteWriter(int size, UniformRandomProvider random) {
            this.random = random;
            value = new byte[size];
        }

        byte[] write() {
            head();
            if (!fits()) {
                start += 2; // skips the tag and length of the id, so that a short value has only random bytes
                rest();
                return value;
            }
            append();
            node();
            while (fits()) {
                append();
                nodes++;
                node();
            }
            rest();
            return value;
        }

        private void head() {
            start = 0;
            end = 0;
            changedMillis = FIRST_CREATED_MILLIS + below(CREATED_RANGE_MILLIS);
            put(ID);
            put((byte) UUID_BYTES);
            uuid();
            put(CREATED);
            for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
                put((byte) (changedMillis >>> shift));
            }
            put(VERSION);
            varint(logUniform(MAX_VISITS));
        }

        private void node() {
            end = HEADER_BYTES;
            boolean newLabel = isNew(labels, LABEL_STRENGTH, LABEL_DISCOUNT);
            boolean newDocument = isNew(documents, DOCUMENT_STRENGTH, DOCUMENT_DISCOUNT);
            boolean host = newLabel && unit() < HOST_SHARE;
            int sameLabel = newLabel ? 0 : labelAt[earlier()];
            boolean root = nodes == 0 || host || !newLabel && value[sameLabel + 1] != '/';

            put(PARENT);
            varint(root ? 0 : Math.min(nodes, logUniform(MAX_PARENT_DISTANCE)));

            put(LABEL);
            int labelFrom = end;
            if (newLabel) {
                label(host);
                labels++;
            } else {
                copy(sameLabel, 1 + value[sameLabel]);
            }

            put(DOCUMENT);
            put((byte) UUID_BYTES);
            int documentFrom = end;
            if (newDocument) {
                uuid();
                documents++;
            } else {
                copy(documentAt[earlier()], UUID_BYTES);
            }

            put(CHANGED);
            varint(changedMillis += below(MAX_STEP_MILLIS));
            put(VISITS);
            varint(logUniform(MAX_VISITS));
            if (newDocument && value.length > LARGE) {
                put(HASH);
                put((byte) HASH_BYTES);
                randomBytes(HASH_BYTES);
            }
            prependHeader();
            remember(labelFrom, documentFrom);
        }

        private void prependHeader() {
            int body = end - HEADER_BYTES;
            int bodyEnd = end;
            start = HEADER_BYTES - (body < 1 << 7 ? 2 : 3);
            end = start;
            put(NODE);
            varint(body);
            end = bodyEnd;
        }

        /** Stores the future offsets of the current node's label (with its length) and document in the value. */
        private void remember(int labelFrom, int documentFrom) {
            if (nodes == labelAt.length) {
                labelAt = Arrays.copyOf(labelAt, 2 * nodes);
                documentAt = Arrays.copyOf(documentAt, 2 * nodes);
            }
            labelAt[nodes] = length + labelFrom - start;
            documentAt[nodes] = length + documentFrom - start;
        }

        private void label(boolean host) {
            int lengthAt = end++;
            if (host) {
                text("www.");
                name(2 + below(3));
                word(TOP_DOMAINS);
            }
            put((byte) '/');
            for (int segments = 1 + below(MAX_SEGMENTS); segments > 0; segments--) {
                word(SEGMENTS);
                put((byte) '/');
            }
            name(2 + below(4));
            if (unit() < QUERY_SHARE) {
                char separator = '?';
                for (int parameters = 1 + below(MAX_PARAMETERS); parameters > 0; parameters--) {
                    put((byte) separator);
                    word(PARAMETERS);
                    put((byte) '=');
                    name(1 + below(3));
                    separator = '&';
                }
            }
            message[lengthAt] = (byte) (end - lengthAt - 1);
        }

        /** Whether the message fits, and the bytes left after it are none or enough for a field. */
        private boolean fits() {
            int left = value.length - length - (end - start);
            return left == 0 || left > 1;
        }

        private void append() {
            System.arraycopy(message, start, value, length, end - start);
            length += end - start;
        }

        /** Fills the remaining bytes with the beginning of the message that did not fit. */
        private void rest() {
            int left = value.length - length;
            if (left == 0) {
                return;
            }
            if (left == 130) { // no field has 130 bytes: 127 bytes of content make 129, and 128 make 131
                value[length++] = FILLER;
                value[length++] = 0;
                left = 128;
            }
            int bytes = left - 2 < 1 << 7 ? left - 2 : left - 3;
            value[length++] = REST;
            if (bytes >= 1 << 7) {
                value[length++] = (byte) (bytes | 1 << 7);
                value[length++] = (byte) (bytes >>> 7);
            } else {
                value[length++] = (byte) bytes;
            }
            System.arraycopy(message, start, value, length, bytes);
        }

        private boolean isNew(int known, double strength, double discount) {
            return unit() * (nodes + strength) < strength + discount * known || nodes == 0;
        }

        private int earlier() {
            return nodes - logUniform(nodes);
        }

        /** 1 to {@code max}; each octave is equally likely. */
        private int logUniform(int max) {
            return Math.min(max, (int) StrictMath.pow(max + 1, unit()));
        }

        private double unit() {
            return (random.nextLong() >>> 11) * 0x1p-53;
        }

        /** 0 to {@code bound - 1}; the bias of at most 2⁻³² does not matter here. */
        private int below(int bound) {
            return (int) ((random.nextLong() >>> 32) * bound >>> 32);
        }

        private void put(byte b) {
            message[end++] = b;
        }

        private void copy(int from, int bytes) {
            System.arraycopy(value, from, message, end, bytes);
            end += bytes;
        }

        private void text(String ascii) {
            for (int i = 0; i < ascii.length(); i++) {
                put((byte) ascii.charAt(i));
            }
        }

        private void word(byte[][] words) {
            byte[] word = words[below(words.length)];
            System.arraycopy(word, 0, message, end, word.length);
            end += word.length;
        }

        private void name(int syllables) {
            for (; syllables > 0; syllables--) {
                word(SYLLABLES);
            }
        }

        private void varint(long number) {
            for (; number >= 1 << 7; number >>>= 7) {
                put((byte) (number | 1 << 7));
            }
            put((byte) number);
        }

        /** A random UUID: version 4, variant 2 (RFC 9562). */
        private void uuid() {
            int from = end;
            randomBytes(UUID_BYTES);
            message[from + 6] = (byte) (message[from + 6] & 0x0f | 0x40);
            message[from + 8] = (byte) (message[from + 8] & 0x3f | 0x80);
        }

        private void randomBytes(int bytes) {
            for (int i = 0; i < bytes; i += Long.BYTES) {
                long bits = random.nextLong();
                for (int j = 0; j < Long.BYTES; j++) {
                    put((byte) bits);
                    bits >>>= Byte.SIZE;
                }
            }
        }
    }
}
