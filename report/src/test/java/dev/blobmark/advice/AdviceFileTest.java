package dev.blobmark.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.run.RunException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdviceFileTest {

    @TempDir
    private Path directory;

    @Test
    void whatIsWrittenIsReadAgain() throws IOException {
        Advice advice = AdviceFixture.advice(Goal.DISK);
        assertThat(AdviceFile.isIn(directory)).isFalse();
        AdviceFile.write(directory, advice);
        assertThat(AdviceFile.isIn(directory)).isTrue();
        assertThat(AdviceFile.read(directory)).isEqualTo(advice);
    }

    @Test
    void theNumberOfHostsIsRecorded() throws IOException {
        Advice advice = AdviceFixture.adviceOfHosts();
        AdviceFile.write(directory, advice);
        assertThat(Files.readString(directory.resolve("advice.json"))).contains("\"threads\" : 4", "\"hosts\" : 2");
        assertThat(AdviceFile.read(directory)).isEqualTo(advice);
    }

    /** One of a version that did not know of memory, of a threshold and of hosts. */
    @Test
    void anOlderAdviceIsRead() throws IOException {
        Advice advice = AdviceFixture.advice(Goal.DISK);
        AdviceFile.write(directory, advice);
        Path file = directory.resolve("advice.json");
        String text = Files.readString(file);
        String older = text.replaceAll(",\\s*\"(threshold|hosts|(max_)?memory_bytes)\" : null", "");
        assertThat(older).isNotEqualTo(text).doesNotContain("threshold", "memory_bytes", "hosts");
        Files.writeString(file, older);
        assertThat(AdviceFile.read(directory)).isEqualTo(advice);
        assertThat(AdviceFile.read(directory).question().processes()).isOne();
    }

    @Test
    void aDirectoryWithoutAnAdviceIsRefused() {
        assertThatThrownBy(() -> AdviceFile.read(directory))
                .isInstanceOf(RunException.class)
                .hasMessageContaining("it has no advice.json; name the directory of an advice");
    }

    @Test
    void anotherSchemaIsRefusedAndDamageIsNamed() throws IOException {
        AdviceFile.write(directory, AdviceFixture.advice(Goal.DISK));
        Path file = directory.resolve("advice.json");
        Files.writeString(file, Files.readString(file).replace("\"schema\" : 2", "\"schema\" : 7"));
        assertThatThrownBy(() -> AdviceFile.read(directory))
                .hasMessageContaining("schema 7, and this version reads schema 2; read it with Blobmark 0.1.0");
        Files.writeString(file, "{\"schema\" :");
        assertThatThrownBy(() -> AdviceFile.read(directory))
                .hasMessageContaining("advice.json")
                .hasMessageEndingWith("ask for the advice again");
    }

    @Test
    void aDamagedCurveIsMeasuredAgain() throws IOException {
        Path file = directory.resolve("curve.json");
        AdviceFile.writeCurve(file, AdviceFixture.CURVE);
        assertThat(AdviceFile.readCurve(file)).contains(AdviceFixture.CURVE);
        Files.writeString(file, "{}");
        assertThat(AdviceFile.readCurve(file)).isEmpty();
    }
}
