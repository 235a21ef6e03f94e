package dev.blobmark.lab.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.codec.Codec;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredCodecTest {

    private static final String WITH_DICTIONARY = "framed(zstd:3+dictionary:16KB)";

    private final Values values = Datasets.parse("orders").values(500, 1);

    @TempDir
    private Path directory;

    private EncodedValues encoded(String codec) throws IOException {
        return EncodedValues.of(values, StoredCodec.FACTOR.parse(codec), directory, bytes -> {});
    }

    @Test
    void aLevelIsAlwaysTheSameCodec() {
        for (String level : List.of("zstd:3", "framed(lz4)", WITH_DICTIONARY)) {
            Codec codec = StoredCodec.FACTOR.parse(level);
            assertThat(codec.id()).isEqualTo(level);
            assertThat(StoredCodec.FACTOR.parse(level)).isSameAs(codec);
        }
        assertThat(StoredCodec.family(StoredCodec.FACTOR.parse("framed(lz4hc:9)"))
                        .name())
                .isEqualTo("lz4hc");
    }

    @Test
    void aMistakeNamesWhatIsValid() {
        assertThatThrownBy(() -> StoredCodec.FACTOR.parse("framed(gzip)"))
                .hasMessageContaining("the value format does not write 'gzip:6'; it writes lz4hc and zstd, lz4");
    }

    @Test
    void theDictionaryIsKeptWithTheValuesAndReadByOtherProcesses() throws IOException {
        Codec ofStudy = StoredCodec.FACTOR.parse(WITH_DICTIONARY);
        EncodedValues written = encoded(WITH_DICTIONARY);
        assertThat(written.storedBytes()).isLessThan(encoded("framed(zstd:3)").storedBytes() / 2);

        EncodedValues opened = encoded(WITH_DICTIONARY);
        Codec codec = opened.codec(ofStudy);
        byte[] stored = new byte[opened.maxStoredLength()];
        byte[] value = new byte[500];
        for (int i = 0; i < opened.count(); i++) {
            int length = opened.copyStored(i, stored);
            assertThat(codec.decode(stored, 0, length, value, 0, 500)).isEqualTo(500);
            assertThat(value).isEqualTo(values.get(i));
        }
    }

    @Test
    void valuesWhoseDictionaryIsMissingAreEncodedAgain() throws IOException {
        encoded(WITH_DICTIONARY);
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".zdict")).toList()) {
                Files.delete(file);
            }
        }
        EncodedValues again = encoded(WITH_DICTIONARY);
        assertThat(again.codec(StoredCodec.FACTOR.parse(WITH_DICTIONARY)).id()).isEqualTo(WITH_DICTIONARY);
    }

    @Test
    void aDictionaryThatOthersMayHaveWrittenIsMadeAgain() throws IOException {
        EncodedValues first = encoded(WITH_DICTIONARY);
        Path dictionary = first.path().resolveSibling(first.path().getFileName() + ".zdict");
        Files.setAttribute(dictionary, "unix:mode", 0666);

        encoded(WITH_DICTIONARY);
        assertThat(Files.getAttribute(dictionary, "unix:mode")).isEqualTo(0100600);
    }
}
