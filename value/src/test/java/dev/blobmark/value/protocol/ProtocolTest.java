package dev.blobmark.value.protocol;

import static dev.blobmark.value.protocol.Protocol.Kind.DICTIONARY;
import static dev.blobmark.value.protocol.Protocol.Kind.FEATURE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.value.protocol.Protocol.Kind;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * All states of the protocol of readers and writers: a codec and a version of the format; a rotation of two
 * dictionaries; a codec and a dictionary. {@code -Dblobmark.protocol=all} for a codec and two dictionaries.
 */
class ProtocolTest {

    private static final List<Kind[]> KINDS = List.of(
            new Kind[] {FEATURE, FEATURE}, new Kind[] {DICTIONARY, DICTIONARY}, new Kind[] {FEATURE, DICTIONARY});

    @Test
    void everyCommittedValueCanBeReadByEveryReaderInAllStates() {
        for (Kind[] kinds : KINDS) {
            requireNoViolation(kinds);
        }
        if (System.getProperty("blobmark.protocol", "").equals("all")) {
            requireNoViolation(FEATURE, DICTIONARY, DICTIONARY);
        }
    }

    private static void requireNoViolation(Kind... kinds) {
        Exploration exploration = new Exploration(Protocol.whole(kinds));
        assertThat(exploration.run()).isEmpty();
        System.out.println("protocol with " + List.of(kinds) + ": " + exploration.states() + " states, no violation");
        assertThat(exploration.states()).isGreaterThan(10_000);
    }

    /** Each rule is needed: without it, a value cannot be read in some state. */
    @ParameterizedTest
    @EnumSource(Rule.class)
    void aProtocolWithoutThisRuleIsFound(Rule rule) {
        Optional<Exploration.Violation> found = KINDS.stream()
                .map(kinds -> new Exploration(Protocol.whole(kinds).without(rule)).run())
                .flatMap(Optional::stream)
                .findFirst();
        assertThat(found).as("a violation without %s", rule).isPresent();
        System.out.println("without " + rule + ": " + found.get().what() + " after "
                + found.get().way().size() + " actions");
    }
}
