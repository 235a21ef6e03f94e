package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LiveOutputTest {

    @Test
    void linesAreNotDivided() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        LiveOutput out = new LiveOutput(bytes);
        out.writeBeat();
        out.write("half a ".getBytes(StandardCharsets.UTF_8));
        out.writeBeat();
        out.write("line\n".getBytes(StandardCharsets.UTF_8));
        out.writeBeat();

        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("alive\nhalf a line\nalive\n");
    }
}
