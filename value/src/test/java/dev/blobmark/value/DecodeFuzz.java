package dev.blobmark.value;

import com.sun.management.ThreadMXBean;
import dev.blobmark.codec.Bare;
import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.codec.Codecs;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Decodes any bytes in any form of column, and by any codec. They are decoded or refused with the documented exception,
 * within the stated length and memory. {@code bench/value-fuzz} calls it; {@link FuzzCorpusTest} repeats what was kept.
 *
 * <p>An input is the legacy form, flags, a codec, {@code maxLength} in two bytes (0 for 1 MiB), and the stored bytes.
 */
public final class DecodeFuzz {

    static final List<String> LEGACY = List.of(
            "raw",
            "none",
            "gzip",
            "zlib",
            "zstd",
            "lz4",
            "mysql",
            "deflate",
            "snappy",
            "brotli",
            "zlib+len",
            "deflate+len",
            "brotli+len",
            "lz4hc");

    private static final Codec BARE_LZ4 = Bare.lz4();

    private static final List<Codec> CODECS = Stream.concat(
                    LEGACY.stream()
                            .filter(name -> !name.equals("raw") && !name.equals("none"))
                            .map(Codecs::parse),
                    Stream.of(
                            Codecs.parse("none"),
                            BARE_LZ4,
                            Bare.zstd(3, Optional.empty()),
                            Bare.zstd(3, Optional.of(FuzzDictionaries.ALL.get(0).zstd()))))
            .toList();

    private static final int SQL = 1;
    private static final int COLLISIONS = 2;
    private static final int REPAIR_CHECK = 4;
    private static final int NO_DICTIONARIES = 8;

    /** The limit of most inputs: longer claims are refused without a look at the codec. */
    static final int LONGEST = 1 << 20;

    private static final int MOST_FORMATS = 256;

    /** Bytes of an exception with its stack, and of what a codec allocates besides the value. */
    private static final int MARGIN = 100_000;

    /** An output that grows is allocated in parts that double, up to twice its length in all, and is cut at the end. */
    private static final int GROWTH = 3;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final Map<List<Object>, ValueFormat> FORMATS = new HashMap<>();

    private DecodeFuzz() {}

    /** Called by the fuzzer. */
    public static void fuzzerTestOneInput(byte[] data) {
        FuzzInput input = new FuzzInput(data);
        String legacy = input.oneOf(LEGACY);
        int flags = input.next();
        Codec codec = input.oneOf(CODECS);
        int chosen = input.nextShort();
        int maxLength = chosen == 0 ? LONGEST : chosen;
        byte[] bytes = input.rest();
        if ((flags & REPAIR_CHECK) != 0 && FrameHeader.begins(bytes) && bytes.length > FrameHeader.MAX_BYTES) {
            MutatedFramesTest.repairCheck(bytes);
        }
        boolean isPure = legacy.equals("none");
        Stored stored = new Stored(
                bytes, legacy, (flags & SQL) != 0 && !isPure, maxLength, (flags & COLLISIONS) != 0 && !isPure);
        checkFormat(stored, (flags & NO_DICTIONARIES) == 0);
        checkCodec(codec, bytes, maxLength);
        StoredForm.of(bytes).toString();
    }

    /** The input for a stored value, as a seed. */
    static byte[] input(Stored stored) {
        ByteArrayOutputStream input = new ByteArrayOutputStream();
        input.write(LEGACY.indexOf(stored.legacy()));
        // with its check, a frame that the fuzzer changes is still one
        input.write((stored.readsSql() ? SQL : 0)
                | (stored.areCollisionsLegacy() ? COLLISIONS : 0)
                | (isFrame(stored.bytes()) ? REPAIR_CHECK : 0));
        // the codec of the same name, so that it is reached as well
        input.write(Math.max(0, LEGACY.indexOf(stored.legacy()) - LEGACY.indexOf("gzip")));
        int maxLength = stored.maxLength() > 0xFFFF ? 0 : stored.maxLength();
        input.write(maxLength >>> 8);
        input.write(maxLength);
        input.writeBytes(stored.bytes());
        return input.toByteArray();
    }

    private static boolean isFrame(byte[] bytes) {
        StoredForm.Kind kind = StoredForm.of(bytes).kind();
        return kind == StoredForm.Kind.ENCODED || kind == StoredForm.Kind.ESCAPED || kind == StoredForm.Kind.STORED;
    }

    private static void checkFormat(Stored stored, boolean hasDictionaries) {
        if (FORMATS.size() >= MOST_FORMATS) {
            FORMATS.clear();
            Codecs.releaseContexts();
        }
        ValueFormat format = FORMATS.computeIfAbsent(
                List.of(
                        stored.legacy(),
                        stored.readsSql(),
                        stored.maxLength(),
                        stored.areCollisionsLegacy(),
                        hasDictionaries),
                of -> stored.format(hasDictionaries ? FuzzDictionaries.all() : Dictionaries.NONE));
        byte[] before = stored.bytes().clone();
        // of what may be a frame or a value of COMPRESS(), both are tried; an escaped value is copied, as brotli's is
        long most = mostAllocated(stored);
        Optional<byte[]> value = within(most, () -> {
            try {
                return Optional.of(format.decode(stored.bytes()));
            } catch (FrameException e) {
                require(e.reason() != null && e.getMessage() != null, "a refusal has a reason");
                return Optional.empty();
            }
        });
        require(Arrays.equals(stored.bytes(), before), "decoding changes the stored bytes");
        // a raw legacy value has no limit, as it is there already
        value.ifPresent(one -> require(
                one == stored.bytes() || one.length <= stored.maxLength(),
                one.length + " bytes are longer than maxLength"));
    }

    /** The most bytes that decoding may allocate. */
    static long mostAllocated(Stored stored) {
        StoredForm form = StoredForm.of(stored.bytes());
        int length = stored.bytes().length;
        long most = 2L * length + MARGIN;
        boolean maybeSql = stored.readsSql() || stored.legacy().equals("mysql");
        if (form.kind() != StoredForm.Kind.ENCODED
                || maybeSql
                || form.codec().filter("brotli"::equals).isPresent()) {
            return most + (GROWTH + 1L) * stored.maxLength();
        }
        // the best ratio of the codec limits what a frame can claim
        Codec codec = Codecs.parse(form.codec().orElseThrow());
        return most + Math.min(stored.maxLength(), codec.maxDecodedLength(length));
    }

    private static void checkCodec(Codec codec, byte[] bytes, int maxLength) {
        byte[] before = bytes.clone();
        long longest = Math.min(maxLength, codec.maxDecodedLength(bytes.length));
        Optional<byte[]> value = within(GROWTH * longest + 2L * bytes.length + MARGIN, () -> {
            try {
                return Optional.of(codec.decode(bytes, maxLength));
            } catch (CodecException e) {
                return Optional.empty();
            }
        });
        require(Arrays.equals(bytes, before), codec.id() + " changes the encoded bytes");
        value.ifPresent(one -> require(one.length <= longest, codec.id() + " exceeds its longest value"));
        checkIntoArray(codec, bytes, maxLength, value);
    }

    /** The other method decodes the same, and writes nowhere else. */
    private static void checkIntoArray(Codec codec, byte[] bytes, int maxLength, Optional<byte[]> value) {
        // whether lz4's decoder sees that a block breaks the rules for its end depends on the room that it has
        int room = codec == BARE_LZ4
                ? (int) Math.min(maxLength, codec.maxDecodedLength(bytes.length))
                : Math.min(maxLength, value.map(one -> one.length).orElse(4_000));
        byte[] target = new byte[room + 2];
        target[0] = 0x55;
        target[room + 1] = 0x55;
        try {
            int length = codec.decode(bytes, 0, bytes.length, target, 1, room);
            require(
                    value.filter(one -> Arrays.equals(one, Arrays.copyOfRange(target, 1, 1 + length)))
                            .isPresent(),
                    codec.id() + " decodes differently into an array");
        } catch (CodecException e) {
            require(value.isEmpty(), codec.id() + " does not decode into an array: " + e.getMessage());
        }
        require(target[0] == 0x55 && target[room + 1] == 0x55, codec.id() + " writes outside of its range");
    }

    private interface Decoding {
        Optional<byte[]> run();
    }

    /** The first calls load classes, so what allocates too much is repeated. */
    private static Optional<byte[]> within(long most, Decoding decoding) {
        long thread = Thread.currentThread().getId();
        long allocated = 0;
        for (int i = 0; i < 3; i++) {
            long before = THREADS.getThreadAllocatedBytes(thread);
            Optional<byte[]> value = decoding.run();
            allocated = THREADS.getThreadAllocatedBytes(thread) - before;
            if (allocated <= most) {
                return value;
            }
        }
        throw new AssertionError(allocated + " bytes were allocated, and at most " + most + " are stated");
    }

    private static void require(boolean isTrue, String what) {
        if (!isTrue) {
            throw new AssertionError(what);
        }
    }
}
