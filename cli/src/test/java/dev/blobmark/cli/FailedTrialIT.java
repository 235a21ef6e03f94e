package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.StoredCodec;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import net.jpountz.xxhash.XXHashFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailedTrialIT {

    /** Of the file that {@link EncodedValues} describes: its checksum, and where what it covers begins. */
    private static final int CHECKSUM_OFFSET = 8;

    private static final int HEADER_BYTES = 16;

    private static final int SEED = 99;

    @TempDir
    private Path directory;

    /**
     * A byte of an encoded value is changed in the cache, with a checksum that fits: the server gets it as if it were
     * right.
     */
    @Test
    void aWrongValueFailsItsTrialsAndTheRun() throws Exception {
        Path cached = EncodedValues.of(
                        Datasets.parse("random:62").values(4096, SEED, RunIT.FEW_ROWS),
                        StoredCodec.FACTOR.parse("snappy"),
                        BlobmarkProcess.CACHE.resolve("values"),
                        encoded -> {})
                .path();
        byte[] file = Files.readAllBytes(cached);
        file[file.length - 1] ^= 1;
        long checksum =
                XXHashFactory.fastestInstance().hash64().hash(file, HEADER_BYTES, file.length - HEADER_BYTES, 0);
        ByteBuffer.wrap(file).putLong(CHECKSUM_OFFSET, checksum);
        Files.write(cached, file);
        Files.writeString(
                directory.resolve("study.yaml"),
                RunIT.SMALL.replace("sites", "\"random:62\"").replace("zstd:3", "snappy"));

        try (BlobmarkProcess run =
                BlobmarkProcess.start(directory, "run", "study.yaml", "--seed", "" + SEED, "--out", "run")) {
            assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
            assertThat(run.err()).containsPattern("\nfailed: packed \\(.*key " + (RunIT.FEW_ROWS - 1) + "\\b");
            assertThat(run.out()).startsWith("Does it run?\n").contains("plain", "failed");
        } finally {
            Files.delete(cached);
        }

        RunDirectory left = RunDirectory.open(directory.resolve("run"));
        assertThat(left.manifest().progress().state()).isEqualTo(Manifest.State.FINISHED);
        assertThat(left.samples())
                .filteredOn(sample -> sample.method().equals("packed"))
                .isNotEmpty()
                .allSatisfy(sample -> assertThat(sample.outcome()).isInstanceOf(Outcome.Failed.class));
        assertThat(left.samples())
                .filteredOn(sample -> sample.method().equals("plain"))
                .hasSize(2)
                .noneMatch(sample -> sample.outcome() instanceof Outcome.Failed);
        BlobmarkProcess.assertNothingLeft();
    }
}
