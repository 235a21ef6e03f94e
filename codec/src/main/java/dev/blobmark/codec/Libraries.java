package dev.blobmark.codec;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.github.luben.zstd.util.ZstdVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import net.jpountz.lz4.LZ4Factory;
import org.xerial.snappy.Snappy;

/** Which code really runs: two figures of one codec are comparable only if this is equal. */
final class Libraries {

    private static final Pattern MAPPED_ZLIB = Pattern.compile(".*/(libz\\.so[^/ ]*)$");
    private static final Pattern BUNDLED_ZLIB = Pattern.compile("(?im)^##\\s*zlib\\s+v?([0-9.]+).*");

    /** Where classes are whose absence means that a library is not on the class path. All of them are optional. */
    private static final Map<String, String> BY_PACKAGE = Map.of(
            "net/jpountz/", "at.yawk.lz4:lz4-java",
            "com/github/luben/zstd/", "com.github.luben:zstd-jni",
            "org/xerial/snappy/", "org.xerial.snappy:snappy-java",
            "com/aayushatharva/brotli4j/", "com.aayushatharva.brotli4j:brotli4j");

    private Libraries() {}

    /**
     * What is thrown when something cannot be used.
     *
     * @param what begins the message, such as {@code codec lz4}
     */
    static UnsupportedOperationException absent(String what, Throwable cause) {
        String reason = missing(cause)
                .map(library -> " needs the library " + library + ", which is not on the class path")
                .orElse(" does not work on this platform: " + cause);
        return new UnsupportedOperationException(what + reason, cause);
    }

    /** The library that a class was looked for in. */
    private static Optional<String> missing(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            String name = String.valueOf(cause.getMessage());
            if (cause instanceof NoClassDefFoundError) {
                Optional<String> library = BY_PACKAGE.keySet().stream()
                        .filter(name::startsWith)
                        .findFirst()
                        .map(BY_PACKAGE::get);
                if (library.isPresent()) return library;
            }
        }
        return Optional.empty();
    }

    /**
     * The JDK does not say which zlib it runs. A build that bundles one ships its licence, which names the version;
     * others load the system's, which Linux shows among the mapped files.
     */
    static String zlib() {
        new CRC32().update(0); // loads it
        String jdk = "JDK " + System.getProperty("java.runtime.version");
        return bundledZlib()
                .map(version -> "zlib " + version + " (" + jdk + ")")
                .or(() -> mappedZlib().map(file -> "zlib of the system, " + file + " (" + jdk + ")"))
                .orElse("zlib (" + jdk + ")");
    }

    private static Optional<String> mappedZlib() {
        Path maps = Path.of("/proc/self/maps");
        if (!Files.isReadable(maps)) return Optional.empty();
        try (Stream<String> lines = Files.lines(maps)) {
            return lines.map(MAPPED_ZLIB::matcher)
                    .filter(Matcher::matches)
                    .map(match -> match.group(1))
                    .findFirst();
        } catch (IOException | UncheckedIOException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> bundledZlib() {
        try {
            String licence =
                    Files.readString(Path.of(System.getProperty("java.home"), "legal", "java.base", "zlib.md"));
            Matcher version = BUNDLED_ZLIB.matcher(licence);
            return version.find() ? Optional.of(version.group(1)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** From JDK 22 on zstd-jni calls the library by the foreign function interface, before by JNI. */
    static String zstd() {
        boolean foreign = ZstdVersion.class.getResource("/com/github/luben/zstd/ZstdBinding.class") != null;
        return "zstd-jni " + ZstdVersion.VERSION + (foreign ? " (FFM)" : " (JNI)");
    }

    static String snappy() {
        return "snappy-java " + Snappy.class.getPackage().getImplementationVersion() + " (snappy "
                + Snappy.getNativeLibraryVersion() + ")";
    }

    static String brotli() {
        return "brotli4j " + mavenVersion(Brotli4jLoader.class, "com.aayushatharva.brotli4j/brotli4j");
    }

    static String lz4() {
        return "lz4-java " + mavenVersion(LZ4Factory.class, "at.yawk.lz4/lz4-java") + " (native)";
    }

    private static String mavenVersion(Class<?> in, String artifact) {
        try (InputStream stream = in.getResourceAsStream("/META-INF/maven/" + artifact + "/pom.properties")) {
            if (stream == null) return "of unknown version";
            Properties properties = new Properties();
            properties.load(stream);
            return properties.getProperty("version", "of unknown version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
