package dev.blobmark.codec;

import static dev.blobmark.codec.CodecFamily.leveled;
import static dev.blobmark.codec.CodecFamily.plain;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * All codecs, and how they are written: {@code name[:level][+len]}, such as {@code lz4}, {@code zstd:3},
 * {@code deflate:6+len}. Without a level a codec takes its default one; its {@link Codec#id()} always says which.
 */
public final class Codecs {

    private static final Levels ZLIB = new Levels(1, 9, 6); // zlib's levels and its default

    // a lambda, where a library is optional: a reference to the constructor would already link the class that needs it
    private static final List<CodecFamily> ALL = List.of(
            plain("none", "the value itself", () -> "none", NoneCodec::new),
            leveled("gzip", "one gzip member, RFC 1952", ZLIB, Libraries::zlib, GzipCodec::new),
            leveled("zlib", "zlib, RFC 1950", ZLIB, Libraries::zlib, DeflateCodec::zlib)
                    .takingLength(),
            leveled("deflate", "bare deflate, RFC 1951", ZLIB, Libraries::zlib, DeflateCodec::raw)
                    .takingLength(),
            // the lowest is ZSTD_minCLevel(), the highest ZSTD_maxCLevel()
            leveled(
                            "zstd",
                            "one zstd frame, RFC 8878",
                            new Levels(-131072, 22, 3),
                            Libraries::zstd,
                            (id, level) -> new ZstdCodec(id, level))
                    .needing(CodecLibrary.ZSTD),
            plain("snappy", "raw snappy", Libraries::snappy, id -> new SnappyCodec(id))
                    .needing(CodecLibrary.SNAPPY),
            // RFC 7932 knows no levels; 6 is where the decoder is as fast as ever and the encoder still usable online
            leveled(
                            "brotli",
                            "brotli, RFC 7932",
                            new Levels(0, 11, 6),
                            Libraries::brotli,
                            (id, level) -> new BrotliCodec(id, level))
                    .needing(CodecLibrary.BROTLI)
                    .takingLength(),
            plain("lz4", "length and LZ4 block", Libraries::lz4, id -> new WithLength(Lz4Codec.fast(id)))
                    .needing(CodecLibrary.LZ4),
            // the C library takes levels above 12 and writes the same bytes as for 12
            leveled(
                            "lz4hc",
                            "length and LZ4 block, high compression",
                            new Levels(1, 12, 9),
                            Libraries::lz4,
                            (id, level) -> new WithLength(Lz4Codec.high(id, level)))
                    .needing(CodecLibrary.LZ4),
            leveled("mysql", "as COMPRESS() of MySQL: length and zlib", ZLIB, Libraries::zlib, MysqlCodec::new));

    private static final Map<String, CodecFamily> BY_NAME =
            ALL.stream().collect(Collectors.toUnmodifiableMap(CodecFamily::name, family -> family));

    private static final Pattern GRAMMAR = Pattern.compile("(?s)([^:+]*)(?::([^+]*))?(\\+.*)?");
    private static final Pattern INTEGER = Pattern.compile("0|-?[1-9][0-9]{0,8}");

    // one instance per id: native contexts belong to instances, and would pile up with them
    private static final Map<String, Codec> MADE = new ConcurrentHashMap<>();

    private Codecs() {}

    /** All codecs in the order in which lists show them. */
    public static List<CodecFamily> all() {
        return ALL;
    }

    /**
     * Closes the native contexts of all codecs, except those that a call uses at the moment. For an application that is
     * undeployed, after its last call, so that its class loader can be freed without a leak of native memory. A later
     * call makes new contexts.
     */
    public static void releaseContexts() {
        ContextPool.releaseAll();
    }

    /** The family of a codec that {@link #parse} gave. */
    public static CodecFamily family(Codec codec) {
        Matcher parts = GRAMMAR.matcher(codec.id());
        if (!parts.matches()) throw new AssertionError(codec.id()); // the pattern takes any text
        return BY_NAME.get(parts.group(1));
    }

    /**
     * The codec of that name, always the same instance. If its library is not on the class path, is too old, or does
     * not work on this platform, each of its methods but {@link Codec#id()} throws
     * {@link UnsupportedOperationException}; see {@link CodecFamily#unavailable}.
     *
     * @param text {@code name[:level][+len]}
     * @throws IllegalArgumentException if there is no such codec or level; the message names the word, the reason and
     *     what may stand there
     */
    public static Codec parse(String text) {
        Matcher parts = GRAMMAR.matcher(text);
        if (!parts.matches()) throw new AssertionError(text); // the pattern takes any text
        CodecFamily family = BY_NAME.get(parts.group(1));
        if (family == null) throw wrong(text, unknown(parts.group(1)));
        Optional<Integer> level = level(text, family, parts.group(2));
        boolean withLength = parts.group(3) != null;
        if (withLength) checkLength(text, family, parts.group(3));
        String id = family.name() + level.map(l -> ":" + l).orElse("") + (withLength ? "+len" : "");
        return MADE.computeIfAbsent(id, key -> family.make(level, withLength));
    }

    private static Optional<Integer> level(String text, CodecFamily family, String word) {
        Optional<Levels> levels = family.levels();
        if (word == null) return levels.map(Levels::standard);
        if (levels.isEmpty()) {
            String mend = family.name().equals("lz4") ? "; write lz4, or lz4hc:" + word : "; write " + family.name();
            throw wrong(text, family.name() + " has no levels" + mend);
        }
        if (!INTEGER.matcher(word).matches() || !levels.get().contains(Integer.parseInt(word))) {
            throw wrong(text, "\"" + word + "\" is no level of " + family.name() + ", which has " + levels.get());
        }
        return Optional.of(Integer.valueOf(word));
    }

    private static void checkLength(String text, CodecFamily family, String suffix) {
        if (suffix.startsWith("+len:")) {
            throw wrong(text, "the level comes first: " + family.name() + suffix.substring(4) + "+len");
        }
        if (!suffix.equals("+len")) throw wrong(text, "\"" + suffix + "\" is unknown; only +len may follow");
        if (!family.takesLength()) {
            String takers = ALL.stream()
                    .filter(CodecFamily::takesLength)
                    .map(CodecFamily::name)
                    .collect(Collectors.joining(", "));
            throw wrong(text, family.name() + " takes no +len; these do: " + takers);
        }
    }

    private static String unknown(String word) {
        String nearest = ALL.stream()
                .map(CodecFamily::name)
                .min(Comparator.comparingInt(name -> distance(word, name)))
                .orElseThrow();
        String names = ALL.stream().map(CodecFamily::name).collect(Collectors.joining(", "));
        return "no codec is called \"" + word + "\""
                + (distance(word, nearest) <= 2 ? "; did you mean " + nearest + "?" : "")
                + " (there are " + names + ")";
    }

    private static IllegalArgumentException wrong(String text, String reason) {
        return new IllegalArgumentException("codec \"" + text + "\": " + reason);
    }

    /** Levenshtein's: insertions, deletions and replacements of single letters. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) row[j] = j;
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
