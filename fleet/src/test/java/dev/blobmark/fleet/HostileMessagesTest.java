package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short part of {@code bench/fleet-hostile}. */
class HostileMessagesTest {

    @Test
    void noMessageOfAHostDoesMoreThanFail(@TempDir Path directory) throws Exception {
        try (HostileMessages hostile = new HostileMessages(directory, 7)) {
            hostile.send(500);

            assertThat(hostile.violations()).isEmpty();
            assertThat(hostile.sent().keySet()).containsExactlyInAnyOrder(HostileMessages.State.values());
            assertThat(hostile.stillWorks()).isEmpty();
        }
    }
}
