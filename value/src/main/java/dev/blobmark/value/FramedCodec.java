package dev.blobmark.value;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.codec.Codecs;
import dev.blobmark.codec.ZstdDictionary;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The value format as a codec, so that it can be measured like one: {@code framed(zstd:3)}, {@code framed(lz4+all)},
 * {@code framed(zstd:3+dictionary:64KB)}.
 *
 * <p>With {@code all}, every value that becomes shorter is encoded; without, {@link EncodingPolicy#STANDARD} decides.
 * With a dictionary, it has to be {@link #with given} one before it encodes.
 */
public final class FramedCodec implements Codec {

    private static final Pattern GRAMMAR =
            Pattern.compile("framed\\(([^+()]+)(\\+all)?(?:\\+dictionary:([1-9][0-9]{0,3})KB)?\\)");

    private static final int MOST_DICTIONARY_KB = 1_024;
    private static final int BYTES_PER_DICTIONARY_BYTE = 10;

    private final String id;
    private final Codec inner;
    private final EncodingPolicy policy;
    private final int dictionaryBytes;
    private final Optional<Values> values;

    /** What reads and what writes. */
    private record Values(ValueReader reader, ValueWriter.Frames frames) {}

    private FramedCodec(String id, Codec inner, EncodingPolicy policy, int dictionaryBytes, Optional<Values> values) {
        this.id = id;
        this.inner = inner;
        this.policy = policy;
        this.dictionaryBytes = dictionaryBytes;
        this.values = values;
    }

    /** Whether a codec's name is written as that of this one. */
    public static boolean isWritten(String text) {
        return text.startsWith("framed");
    }

    /** @throws IllegalArgumentException if it is not one; the message says how it is written */
    public static FramedCodec parse(String text) {
        Matcher parts = GRAMMAR.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "codec \"" + text + "\": write framed(CODEC), framed(CODEC+all) or framed(zstd:3+dictionary:64KB)");
        }
        int kilobytes = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
        if (kilobytes > MOST_DICTIONARY_KB) {
            throw new IllegalArgumentException(
                    "codec \"" + text + "\": a dictionary has at most " + MOST_DICTIONARY_KB + "KB");
        }
        Codec inner = Codecs.parse(parts.group(1));
        EncodingPolicy policy = parts.group(2) == null ? EncodingPolicy.STANDARD : new EncodingPolicy(0, 0, false);
        String id = "framed(" + inner.id() + (parts.group(2) == null ? "" : "+all")
                + (kilobytes == 0 ? "" : "+dictionary:" + kilobytes + "KB") + ")";
        PayloadCodec.Encoder encoder = PayloadCodec.Encoder.parse(inner.id(), Optional.empty());
        if (kilobytes > 0 && encoder.payload() != PayloadCodec.ZSTD) {
            throw new IllegalArgumentException("codec \"" + text + "\": only zstd takes a dictionary");
        }
        FramedCodec codec = new FramedCodec(id, inner, policy, kilobytes << 10, Optional.empty());
        return kilobytes > 0
                ? codec
                : new FramedCodec(id, inner, policy, 0, Optional.of(codec.values(Optional.empty())));
    }

    private Values values(Optional<ValueDictionary> dictionary) {
        return new Values(
                new ValueReader(
                        new ValueReader.Form(Legacy.RAW, false, MAX_LENGTH - 1, false), Dictionaries.NONE, dictionary),
                new ValueWriter.Frames(PayloadCodec.Encoder.parse(inner.id(), dictionary), policy));
    }

    /** The codec of the frames. */
    public Codec inner() {
        return inner;
    }

    /** The length of the dictionary that it needs, in bytes; 0 for none. */
    public int dictionaryBytes() {
        return dictionaryBytes;
    }

    /** The same with a dictionary. */
    public FramedCodec with(ValueDictionary dictionary) {
        return new FramedCodec(id, inner, policy, dictionaryBytes, Optional.of(values(Optional.of(dictionary))));
    }

    /**
     * A dictionary of the length that it needs, or of a tenth of the values that it is trained on if these are fewer.
     *
     * @param training values; figures are better than they should be as far as the same values are encoded later
     * @throws IllegalArgumentException if the values are too few or too short
     */
    public ValueDictionary train(List<byte[]> training) {
        long bytes = training.stream().mapToLong(value -> value.length).sum();
        return ZstdDictionary.train(training, (int) Math.min(dictionaryBytes, bytes / BYTES_PER_DICTIONARY_BYTE))
                .map(trained -> ValueDictionary.of(trained.toBytes()))
                .orElseThrow(() -> new IllegalArgumentException(id + ": " + training.size()
                        + " values are too few, or too short, to train a dictionary of " + dictionaryBytes
                        + " bytes; use more values, or leave the dictionary out"));
    }

    private Values values() {
        return values.orElseThrow(() -> new IllegalStateException(id + " has no dictionary yet"));
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public int maxEncodedLength(int length) {
        return FrameHeader.MAX_BYTES + inner.maxEncodedLength(length) + FrameHeader.CHECKSUM_BYTES;
    }

    @Override
    public int encode(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset) {
        ValueWriter.Frames framed = values().frames();
        int room = framed.room(sourceLength);
        if (target.length - targetOffset >= room) {
            return framed.write(source, sourceOffset, sourceLength, target, targetOffset);
        }
        byte[] scratch = new byte[room];
        int written = framed.write(source, sourceOffset, sourceLength, scratch, 0);
        if (written > target.length - targetOffset) {
            throw new CodecException(id, "the encoded value does not fit into the target");
        }
        System.arraycopy(scratch, 0, target, targetOffset, written);
        return written;
    }

    @Override
    public int decode(
            byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        try {
            return values().reader().read(source, sourceOffset, sourceLength, target, targetOffset, maxLength);
        } catch (FrameException e) {
            throw new CodecException(id, e.getMessage(), e);
        }
    }
}
