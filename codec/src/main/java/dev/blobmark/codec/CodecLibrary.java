package dev.blobmark.codec;

import java.nio.charset.StandardCharsets;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The optional libraries. Each is tried once, with the entry points that the codecs use, before the first codec that
 * needs it is made: one that is too old would else fail at some later call with an error that nobody expects.
 */
enum CodecLibrary {
    LZ4(
            "at.yawk.lz4:lz4-java",
            "1.11.0",
            "net.jpountz.lz4.LZ4Factory",
            Libraries::lz4Version,
            () -> List.of(Lz4Codec.fast("lz4"), Lz4Codec.high("lz4hc:1", 1))),
    ZSTD(
            "com.github.luben:zstd-jni",
            "1.5.2-5",
            "com.github.luben.zstd.Zstd",
            Libraries::zstdVersion,
            () -> List.of(
                    new ZstdCodec("zstd:1", 1),
                    new BareZstdCodec("zstd:1", 1, Optional.empty()),
                    new BareZstdCodec("zstd:1", 1, Optional.of(ZstdDictionary.of(TrialValue.value()))))),
    SNAPPY(
            "org.xerial.snappy:snappy-java",
            "1.1.0.1",
            "org.xerial.snappy.Snappy",
            Libraries::snappyVersion,
            () -> List.of(new SnappyCodec("snappy"))),
    BROTLI(
            "com.aayushatharva.brotli4j:brotli4j",
            "1.23.0",
            "com.aayushatharva.brotli4j.Brotli4jLoader",
            Libraries::brotliVersion,
            () -> List.of(new BrotliCodec("brotli:0", 0)));

    private final String artifact;
    private final String minimum;
    private final String mainClass;
    private final Supplier<String> version;
    private final Supplier<List<OneShot>> samples;
    private Optional<Throwable> failure; // null before the first try

    /**
     * @param minimum the oldest version whose entry points the codecs find and that passes their tests
     * @param version as found at run time
     */
    CodecLibrary(
            String artifact,
            String minimum,
            String mainClass,
            Supplier<String> version,
            Supplier<List<OneShot>> samples) {
        this.artifact = artifact;
        this.minimum = minimum;
        this.mainClass = mainClass;
        this.version = version;
        this.samples = samples;
    }

    String artifact() {
        return artifact;
    }

    String minimum() {
        return minimum;
    }

    /** Why codecs of the library cannot work; empty if it encodes and decodes. */
    synchronized Optional<Throwable> failure() {
        if (failure == null) failure = attempt();
        return failure;
    }

    private Optional<Throwable> attempt() {
        try {
            for (OneShot codec : samples.get()) TrialValue.roundTrip(codec);
            return Optional.empty();
        } catch (UnsupportedOperationException e) { // of a dictionary
            return Optional.of(e.getCause() == null ? e : e.getCause());
        } catch (VirtualMachineError e) {
            throw e;
        } catch (RuntimeException | Error e) { // lz4-java and snappy-java have their own errors
            return Optional.of(e);
        }
    }

    /**
     * What is thrown when something cannot be used.
     *
     * @param what begins the message, such as {@code codec lz4}
     */
    UnsupportedOperationException refusal(String what, Throwable cause) {
        Optional<Class<?>> found = find();
        if (found.isEmpty()) {
            return new UnsupportedOperationException(
                    what + " needs the library " + artifact + ", which is not on the class path", cause);
        }
        String here = "found is " + artifact.substring(artifact.indexOf(':') + 1) + " " + version() + file(found.get());
        String reason = isOtherVersion(cause)
                ? " needs the library " + artifact + " " + minimum + " or later; " + here
                : " does not work on this platform: " + cause + "; of the library " + artifact + " " + here;
        return new UnsupportedOperationException(what + reason, cause);
    }

    private Optional<Class<?>> find() {
        try {
            return Optional.of(Class.forName(mainClass, false, CodecLibrary.class.getClassLoader()));
        } catch (ClassNotFoundException | LinkageError e) {
            return Optional.empty();
        }
    }

    private String version() {
        try {
            return version.get();
        } catch (LinkageError | RuntimeException e) {
            return Libraries.UNKNOWN_VERSION;
        }
    }

    /** The file's name only: paths are nobody's business in a log. */
    private static String file(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation() == null) return "";
        String path = source.getLocation().getPath();
        return ", in " + path.substring(path.lastIndexOf('/') + 1);
    }

    /** A method, field or class that another version has. */
    private boolean isOtherVersion(Throwable thrown) {
        String itsPackage = mainClass.substring(0, mainClass.lastIndexOf('.')).replace('.', '/');
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof IncompatibleClassChangeError) return true;
            if (cause instanceof NoClassDefFoundError
                    && String.valueOf(cause.getMessage()).startsWith(itsPackage)) return true;
        }
        return false;
    }

    /** What is encoded to try a library, and the dictionary as well. */
    private static final class TrialValue {

        static byte[] value() {
            return "blobmark encodes this and decodes it, blobmark".getBytes(StandardCharsets.UTF_8);
        }

        static void roundTrip(OneShot codec) {
            byte[] value = value();
            byte[] encoded = new byte[codec.maxEncodedLength(value.length)];
            int length = codec.encode(value, 0, value.length, encoded, 0);
            byte[] decoded = codec.decode(Arrays.copyOf(encoded, length), value.length);
            if (!Arrays.equals(decoded, value)) {
                throw codec.wrong("it decodes other bytes than it encoded");
            }
        }
    }
}
