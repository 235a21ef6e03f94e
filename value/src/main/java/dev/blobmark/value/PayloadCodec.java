package dev.blobmark.value;

import dev.blobmark.codec.Bare;
import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What is inside of a frame, by its number in the header. Numbers are never used again for something else. */
enum PayloadCodec {
    /** A legacy value that begins like a frame. */
    ESCAPED(0, "none"),
    /** A zstd frame without its magic number; see {@link Bare#zstd}. */
    ZSTD(1, "zstd"),
    /** An LZ4 block, also of the high compression levels. */
    LZ4(2, "lz4"),
    /** Deflate, RFC 1951. */
    DEFLATE(3, "deflate"),
    /** Brotli, RFC 7932. */
    BROTLI(4, "brotli"),
    /** Raw Snappy. */
    SNAPPY(5, "snappy"),
    /** The value itself, with its checksum. */
    STORED(6, "none");

    private static final PayloadCodec[] BY_NUMBER = values();

    private final int number;
    private final String codecName;
    private volatile Codec decoder;
    private volatile Optional<String> unavailable;

    PayloadCodec(int number, String codecName) {
        this.number = number;
        this.codecName = codecName;
    }

    int number() {
        return number;
    }

    static Optional<PayloadCodec> of(int number) {
        return number < BY_NUMBER.length ? Optional.of(BY_NUMBER[number]) : Optional.empty();
    }

    /**
     * A codec that decodes what any level wrote. It is made when the first value is decoded, so that only libraries
     * that are used are loaded. If its library is not there, it throws {@link UnsupportedOperationException}.
     */
    Codec decoder() {
        Codec made = decoder;
        if (made == null) {
            made = switch (this) {
                case ZSTD -> Bare.zstd(1, Optional.empty());
                case LZ4 -> Bare.lz4();
                case ESCAPED, STORED, DEFLATE, BROTLI, SNAPPY -> Codecs.parse(codecName);
            };
            decoder = made;
        }
        return made;
    }

    /** Whether values are encoded by it, and not only put into a frame. */
    boolean isEncoding() {
        return this != ESCAPED && this != STORED;
    }

    /** Its name in announcements of readers, which is that of the family of codecs. */
    String family() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Why values of this kind cannot be decoded here; empty if they can. Found once, by encoding and decoding one,
     * which loads the library.
     */
    Optional<String> unavailable() {
        Optional<String> found = unavailable;
        if (found == null) {
            found = Codecs.all().stream()
                    .filter(family -> family.name().equals(codecName))
                    .findFirst()
                    .orElseThrow()
                    .unavailable();
            unavailable = found;
        }
        return found;
    }

    /**
     * How values are encoded.
     *
     * @param level as in the codec's name; 0 if it has none
     */
    record Encoder(PayloadCodec payload, int level, Codec codec, Optional<ValueDictionary> dictionary) {

        /**
         * @param text {@code zstd:3}, {@code lz4}, {@code lz4hc:9}, {@code deflate:6}, {@code brotli:5} or
         *     {@code snappy}
         * @throws IllegalArgumentException if the format does not have that codec, or it takes no dictionary
         * @throws UnsupportedOperationException if its library is not there
         */
        static Encoder parse(String text, Optional<ValueDictionary> dictionary) {
            Codec named = Codecs.parse(text);
            String[] parts = named.id().split(":");
            int level = parts.length > 1 && !parts[1].endsWith("+len") ? Integer.parseInt(parts[1]) : 0;
            String name = parts[0].equals("lz4hc") ? LZ4.codecName : parts[0];
            PayloadCodec payload = Arrays.stream(BY_NUMBER)
                    .filter(one -> one.isEncoding()
                            && one.codecName.equals(name)
                            && !named.id().endsWith("+len"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("the value format does not write '" + text
                            + "'; it writes lz4hc and "
                            + Arrays.stream(BY_NUMBER)
                                    .filter(PayloadCodec::isEncoding)
                                    .map(PayloadCodec::family)
                                    .collect(Collectors.joining(", "))));
            if (dictionary.isPresent() && payload != ZSTD) {
                throw new IllegalArgumentException("'" + text + "' takes no dictionary; zstd does");
            }
            Codec codec = payload == ZSTD
                    ? Bare.zstd(level, dictionary.map(ValueDictionary::zstd))
                    : payload != LZ4 ? named : parts[0].equals("lz4hc") ? Bare.lz4hc(level) : Bare.lz4();
            payload.unavailable()
                    .ifPresent(
                            reason -> { // here, and not when values are written
                                throw new UnsupportedOperationException(reason);
                            });
            return new Encoder(payload, level, codec, dictionary);
        }
    }
}
