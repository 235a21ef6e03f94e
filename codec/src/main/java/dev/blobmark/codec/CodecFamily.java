package dev.blobmark.codec;

import java.util.Optional;
import java.util.function.Supplier;

/** A codec with its level still open: what it is, which levels it has, and whose code it runs. */
public final class CodecFamily {

    /** Makes the codec of one level. */
    @FunctionalInterface
    interface Leveled {
        OneShot make(String id, int level);
    }

    /** Makes a codec that has no levels. */
    @FunctionalInterface
    interface Plain {
        OneShot make(String id);
    }

    private final String name;
    private final String summary;
    private final Optional<Levels> levels;
    private final boolean takesLength;
    private final Supplier<String> library;
    private final Leveled maker;

    private CodecFamily(
            String name,
            String summary,
            Optional<Levels> levels,
            boolean takesLength,
            Supplier<String> library,
            Leveled maker) {
        this.name = name;
        this.summary = summary;
        this.levels = levels;
        this.takesLength = takesLength;
        this.library = library;
        this.maker = maker;
    }

    static CodecFamily plain(String name, String summary, Supplier<String> library, Plain maker) {
        return new CodecFamily(name, summary, Optional.empty(), false, library, (id, level) -> maker.make(id));
    }

    static CodecFamily leveled(String name, String summary, Levels levels, Supplier<String> library, Leveled maker) {
        return new CodecFamily(name, summary, Optional.of(levels), false, library, maker);
    }

    /** The same, for a format that holds no length of the value: {@code +len} puts it before. */
    CodecFamily takingLength() {
        return new CodecFamily(name, summary, levels, true, library, maker);
    }

    /** As in {@code zstd:3} the part before the colon. */
    public String name() {
        return name;
    }

    /** One line: the format that is written. */
    public String summary() {
        return summary;
    }

    /** The levels, or empty where there is nothing to choose. */
    public Optional<Levels> levels() {
        return levels;
    }

    /** Whether {@code +len} may follow. */
    public boolean takesLength() {
        return takesLength;
    }

    /**
     * The library and its version, such as {@code zstd-jni 1.5.7-28 (JNI)}, as found at run time; part of every result.
     * Loads the library.
     *
     * @throws UnsupportedOperationException if it is not on the class path, or does not work on this platform
     */
    public String library() {
        try {
            return library.get();
        } catch (LinkageError e) {
            throw Libraries.absent("codec " + name, e);
        }
    }

    /**
     * Why the codec does not work here, found by encoding and decoding one byte; empty where it works. The usual
     * reasons are a library that is not on the class path, and a native one that its makers do not build for this
     * platform.
     */
    public Optional<String> unavailable() {
        try {
            Codec codec = make(levels.map(Levels::standard), false);
            byte[] encoded = new byte[codec.maxEncodedLength(1)];
            int length = codec.encode(new byte[] {'b'}, 0, 1, encoded, 0);
            byte[] decoded = new byte[1];
            boolean same = codec.decode(encoded, 0, length, decoded, 0, 1) == 1 && decoded[0] == 'b';
            return same ? Optional.empty() : Optional.of(name + " decodes other bytes than it encoded");
        } catch (LinkageError | AssertionError | UnsupportedOperationException e) {
            return Optional.of(Libraries.absent("codec " + name, e).getMessage());
        }
    }

    Codec make(Optional<Integer> level, boolean withLength) {
        String id = name + level.map(l -> ":" + l).orElse("") + (withLength ? "+len" : "");
        OneShot codec = maker.make(id, level.orElse(0));
        return withLength ? new WithLength(codec) : codec;
    }

    /** Such as {@code zstd[:level], level -131072 to -1 and 1 to 22, default 3}. */
    @Override
    public String toString() {
        return name
                + (levels.isPresent() ? "[:level]" : "")
                + (takesLength ? "[+len]" : "")
                + levels.map(l -> ", level " + l).orElse("");
    }
}
