package dev.blobmark.codec;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.github.luben.zstd.util.ZstdVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    static final String UNKNOWN_VERSION = "of unknown version";

    private Libraries() {}

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
        return "zstd-jni " + zstdVersion() + (foreign ? " (FFM)" : " (JNI)");
    }

    /** By reflection, since the compiler copies the constant of the version that this was compiled with. */
    static String zstdVersion() {
        try {
            return (String) ZstdVersion.class.getField("VERSION").get(null);
        } catch (ReflectiveOperationException e) {
            return UNKNOWN_VERSION;
        }
    }

    static String snappy() {
        return "snappy-java " + snappyVersion() + " (snappy " + Snappy.getNativeLibraryVersion() + ")";
    }

    static String snappyVersion() {
        return Optional.ofNullable(Snappy.class.getPackage().getImplementationVersion())
                .orElse(UNKNOWN_VERSION);
    }

    static String brotli() {
        return "brotli4j " + brotliVersion();
    }

    static String brotliVersion() {
        return mavenVersion(Brotli4jLoader.class, "com.aayushatharva.brotli4j/brotli4j")
                .orElse(UNKNOWN_VERSION);
    }

    static String lz4() {
        return "lz4-java " + lz4Version() + " (native)";
    }

    /** Up to 1.8.0 it was published as {@code org.lz4:lz4-java}, with the same classes. */
    static String lz4Version() {
        return mavenVersion(LZ4Factory.class, "at.yawk.lz4/lz4-java")
                .or(() -> mavenVersion(LZ4Factory.class, "org.lz4/lz4-java"))
                .orElse(UNKNOWN_VERSION);
    }

    private static Optional<String> mavenVersion(Class<?> in, String artifact) {
        try (InputStream stream = in.getResourceAsStream("/META-INF/maven/" + artifact + "/pom.properties")) {
            if (stream == null) return Optional.empty();
            Properties properties = new Properties();
            properties.load(stream);
            return Optional.ofNullable(properties.getProperty("version"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
