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
    private final Optional<CodecLibrary> needed;
    private final Leveled maker;

    private CodecFamily(
            String name,
            String summary,
            Optional<Levels> levels,
            boolean takesLength,
            Supplier<String> library,
            Optional<CodecLibrary> needed,
            Leveled maker) {
        this.name = name;
        this.summary = summary;
        this.levels = levels;
        this.takesLength = takesLength;
        this.library = library;
        this.needed = needed;
        this.maker = maker;
    }

    static CodecFamily plain(String name, String summary, Supplier<String> library, Plain maker) {
        return new CodecFamily(
                name, summary, Optional.empty(), false, library, Optional.empty(), (id, level) -> maker.make(id));
    }

    static CodecFamily leveled(String name, String summary, Levels levels, Supplier<String> library, Leveled maker) {
        return new CodecFamily(name, summary, Optional.of(levels), false, library, Optional.empty(), maker);
    }

    /** The same, for a format that holds no length of the value: {@code +len} puts it before. */
    CodecFamily takingLength() {
        return new CodecFamily(name, summary, levels, true, library, needed, maker);
    }

    /** The same, with a library that may not be there. */
    CodecFamily needing(CodecLibrary optional) {
        return new CodecFamily(name, summary, levels, takesLength, library, Optional.of(optional), maker);
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
            throw needed.orElseThrow(() -> e).refusal("codec " + name, e);
        }
    }

    /**
     * Why the codec does not work here; empty where it works. Its library is tried once, with all entry points that
     * codecs of this module use, dictionaries included. The usual reasons are a library that is not on the class path
     * or older than the codec needs, and a native one that its makers do not build for this platform. The message names
     * the library, the version that is needed, the version found and its file.
     */
    public Optional<String> unavailable() {
        return needed.flatMap(optional -> optional.failure()
                .map(cause -> optional.refusal("codec " + name, cause).getMessage()));
    }

    Codec make(Optional<Integer> level, boolean withLength) {
        String id = name + level.map(l -> ":" + l).orElse("") + (withLength ? "+len" : "");
        Supplier<Codec> codec = () -> {
            OneShot made = maker.make(id, level.orElse(0));
            return withLength ? new WithLength(made) : made;
        };
        return needed.isEmpty() ? codec.get() : AbsentCodec.orElse(id, needed.get(), codec);
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
