package dev.blobmark.lab.dataset;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.blobmark.mysql.table.DatasetException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryTest extends DatasetContract {

    private static final int MEDIUMBLOB_BYTES = 16_777_215;

    @TempDir
    Path temporary;

    private Path root;

    @BeforeEach
    void writeSomeFiles() throws IOException {
        root = Files.createDirectory(temporary.resolve("values"));
        for (int i = 0; i < 20; i++) {
            write("f%02d".formatted(i), "x".repeat(10 * i) + i);
        }
    }

    private Path write(String name, String content) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    /** A file that has a length but takes no space. */
    private void writeSparse(String name, long bytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(root.resolve(name).toFile(), "rw")) {
            file.setLength(bytes);
        }
    }

    @Override
    Dataset dataset() {
        return Datasets.parse("dir:" + root);
    }

    @Override
    int[] sizes() {
        return new int[] {0};
    }

    private Values values() {
        return dataset().values(0, SEED);
    }

    private static List<String> texts(Values values) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < values.count(); i++) {
            texts.add(new String(values.get(i), UTF_8));
        }
        return texts;
    }

    @Test
    void isPrivateAndHasSizesOfItsOwn() {
        assertThat(dataset().isPrivate()).isTrue();
        assertThat(dataset().hasSize()).isFalse();
        assertThat(dataset().values(7, SEED).digest()).isEqualTo(values().digest());
    }

    @Test
    void takesAllFilesBelowInTheOrderOfTheirPaths() throws IOException {
        root = Files.createDirectory(temporary.resolve("tree"));
        write("b", "3");
        write("a/z", "2");
        write("a/deep/er/f", "1");
        write("a-b", "0"); // '-' sorts before '/'
        write("é", "4");

        assertThat(texts(values())).containsExactly("0", "1", "2", "3", "4");
    }

    @Test
    void keepsFilesOfEqualContent() throws IOException {
        root = Files.createDirectory(temporary.resolve("twins"));
        write("a", "same");
        write("b", "same");

        assertThat(texts(values())).containsExactly("same", "same");
    }

    @Test
    void leavesOutAndCountsWhatCannotBeAValue() throws IOException {
        root = Files.createDirectory(temporary.resolve("mixed"));
        write("good", "good");
        write("empty", "");
        writeSparse("limit", MEDIUMBLOB_BYTES);
        writeSparse("long", MEDIUMBLOB_BYTES + 1L);
        writeSparse("longer", 1L << 40);
        Files.createSymbolicLink(root.resolve("link"), root.resolve("good"));
        Files.createSymbolicLink(root.resolve("out"), temporary.resolve("values"));

        assertThat(values().sizes())
                .isEqualTo(new SizeDistribution(
                        2,
                        4,
                        4,
                        4,
                        MEDIUMBLOB_BYTES,
                        MEDIUMBLOB_BYTES,
                        MEDIUMBLOB_BYTES + 4L,
                        Map.of("empty", 1, "longer than 16777215 bytes", 2, "symbolic link", 2)));
        assertThat(values().get(1)).hasSize(MEDIUMBLOB_BYTES);
    }

    @Test
    void countsWhatMayNotBeRead() throws IOException {
        Files.setPosixFilePermissions(root.resolve("f07"), PosixFilePermissions.fromString("---------"));
        assumeFalse(Files.isReadable(root.resolve("f07")), "this user may read everything");

        assertThat(values().count()).isEqualTo(19);
        assertThat(values().sizes().skipped()).isEqualTo(Map.of("unreadable", 1));
    }

    @Test
    void samplesMoreThanAThousandFiles() throws IOException {
        root = Files.createDirectory(temporary.resolve("many"));
        for (int i = 0; i < 1_200; i++) {
            write("%02d/%04d".formatted(i % 7, i), "file " + i);
        }
        Values values = values();

        assertThat(values.count()).isEqualTo(1_000);
        assertThat(values.sizes().skipped()).isEqualTo(Map.of("beyond the sample", 200));
        assertThat(values.sizes().describe()).endsWith("; skipped: 200 beyond the sample");
        List<String> sampled = texts(values);
        assertThat(sampled).doesNotHaveDuplicates().isEqualTo(texts(values()));
        Set<String> other = new HashSet<>(texts(dataset().values(0, SEED + 1)));
        assertThat(other).hasSize(1_000).isNotEqualTo(new HashSet<>(sampled));
    }

    @Test
    void samplesMoreThanOneGibibyte() throws IOException {
        for (int i = 0; i < 100; i++) {
            writeSparse("big%02d".formatted(i), MEDIUMBLOB_BYTES);
        }
        SizeDistribution sizes = values().sizes();

        assertThat(sizes.total()).isBetween((1L << 30) - MEDIUMBLOB_BYTES, 1L << 30);
        assertThat(sizes.skipped()).isEqualTo(Map.of("beyond the sample", 120 - sizes.count()));
        assertThat(dataset().values(0, SEED + 1).sizes()).isNotEqualTo(sizes);
    }

    @Test
    void noticesAFileThatChanges() throws IOException {
        Values values = values();
        byte[] before = values.get(5);
        assertThat(values.get(5)).isEqualTo(before);

        write("f05", new String(before, UTF_8).replace('x', 'y'));
        assertChanged(values, 5, "f05");
        write("f05", new String(before, UTF_8));
        assertThat(values.get(5)).isEqualTo(before);

        write("f06", "longer than it was when the directory was listed, and not read yet");
        assertChanged(values, 6, "f06");
        write("f19", "shorter");
        assertChanged(values, 19, "f19");
        assertThatThrownBy(values::digest).isInstanceOf(DatasetException.class);
    }

    private void assertChanged(Values values, int index, String name) throws IOException {
        assertThatThrownBy(() -> values.get(index))
                .isInstanceOf(DatasetException.class)
                .hasMessage(
                        "%s: it has changed since it was first read; do not change dir:%s during a run, "
                                + "or name a copy of it",
                        root.toRealPath().resolve(name), root);
    }

    @Test
    void noticesAFileThatIsGone() throws IOException {
        Values values = values();
        Files.delete(root.resolve("f03"));

        assertThatThrownBy(() -> values.get(3))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("f03: it cannot be read (java.nio.file.NoSuchFileException")
                .hasMessageEndingWith("allow this user to read it, and do not change dir:%s during a run", root);
    }

    @Test
    void onlyReads() throws IOException {
        var before = Files.getLastModifiedTime(root.resolve("f04"));
        var listing = Files.getLastModifiedTime(root);

        values().digest();

        assertThat(Files.getLastModifiedTime(root.resolve("f04"))).isEqualTo(before);
        assertThat(Files.getLastModifiedTime(root)).isEqualTo(listing);
    }

    @Test
    void followsALinkThatIsTheDirectoryItself() throws IOException {
        Path link = Files.createSymbolicLink(temporary.resolve("link"), root);

        assertThat(Datasets.parse("dir:" + link).values(0, SEED).digest()).isEqualTo(values().digest());
    }

    @Test
    void saysWhyThereAreNoValues() throws IOException {
        Path missing = temporary.resolve("missing");
        assertProblem(missing, "there is no " + missing + "; name a directory that exists");
        assertProblem(root.resolve("f01"), "it is not a directory; name the directory that holds the files");

        Path empty = Files.createDirectory(temporary.resolve("empty"));
        String mend = "; put files of 1 to 16777215 bytes there, or name another directory";
        assertProblem(empty, "the directory has no files" + mend);
        Files.createFile(empty.resolve("nothing"));
        Files.createFile(empty.resolve("nothing more"));
        assertProblem(empty, "no file in it can be used as a value (skipped: {empty=2})" + mend);
    }

    @Test
    void saysThatTheDirectoryMayNotBeRead() throws IOException {
        Path closed = Files.createDirectory(temporary.resolve("closed"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
        try {
            assumeFalse(Files.isReadable(closed), "this user may read everything");
            assertProblem(
                    closed,
                    "it cannot be read (java.nio.file.AccessDeniedException: %s); allow this user to list and read it"
                            .formatted(closed));
        } finally {
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        }
    }

    private static void assertProblem(Path directory, String problem) {
        assertThatThrownBy(() -> Datasets.parse("dir:" + directory).values(0, SEED))
                .isInstanceOf(DatasetException.class)
                .hasMessage("dir:%s: %s", directory, problem);
    }
}
