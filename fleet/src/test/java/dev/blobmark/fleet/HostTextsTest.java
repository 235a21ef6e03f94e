package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.fleet.host.ViolationException;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.fork.ForkMessage;
import dev.blobmark.lab.measurement.WarmUp;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class HostTextsTest {

    private static final WarmUp NONE = new WarmUp(0, false);

    private static TrialRun received(TrialRun run) throws ViolationException {
        ForkMessage message = HostTexts.message(new ForkMessage.Finished(run).toLine());
        return ((ForkMessage.Finished) message).run();
    }

    @Test
    void figuresArriveAsTheyWereSent() throws ViolationException {
        TrialRun honest = HostFiguresTest.honest(Instant.parse("2026-11-27T10:00:00Z"), 1_000_000_000);

        assertThat(received(honest)).isEqualTo(honest);
    }

    @Test
    void whatATerminalObeysIsReplaced() throws ViolationException {
        assertThat(received(TrialRun.failed("gone \u001b[2J\u202e \u009b \ud800 and back: Größe 😀", NONE))
                        .outcome()
                        .reason())
                .isEqualTo("gone ?[2J? ? ? and back: Größe 😀");
    }

    @Test
    void longTextsAreCut() throws ViolationException {
        assertThat(received(TrialRun.failed("x".repeat(1 << 20), NONE))
                        .outcome()
                        .reason())
                .hasSize(2_001)
                .endsWith("x…");
    }

    @Test
    void manyTextsAndNamesThatAreNoneAreRefused() {
        TrialRun noisy = TrialRun.failed("x", NONE);
        for (int i = 0; i < 3_000; i++) {
            noisy = noisy.with("event " + i);
        }
        String line = new ForkMessage.Finished(noisy).toLine();

        assertThatThrownBy(() -> HostTexts.message(line)).isInstanceOf(ViolationException.class);
        assertThatThrownBy(() -> HostTexts.message("{\"message\":\"ready\",\"" + "n".repeat(3_000) + "\":1}"))
                .isInstanceOf(ViolationException.class);
    }

    @Test
    void theLastLinesOfAProcessRemain() {
        String printed = "first\n" + "middle\n".repeat(10_000) + "\tat \u001b[1mline\nlast";

        assertThat(new String(HostTexts.printed(printed.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8))
                .hasSizeLessThan(8_100)
                .endsWith("middle\n at ?[1mline\nlast\n")
                .doesNotContain("first");
    }
}
