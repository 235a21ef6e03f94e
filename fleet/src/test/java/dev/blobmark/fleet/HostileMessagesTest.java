package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A short part of {@code bench/fleet-hostile}. */
class HostileMessagesTest {

    @Test
    void noMessageOfAHostDoesMoreThanFail() throws Exception {
        HostileMessages.Result result = HostileMessages.sideBySide(500, 7);

        assertThat(result.violations()).isEmpty();
        assertThat(result.sent().keySet()).containsExactlyInAnyOrder(HostileMessages.State.values());
    }
}
