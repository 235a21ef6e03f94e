package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.ColumnIdentity;
import dev.blobmark.value.EncodingPolicy;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StateTest {

    private static final State BEGUN = State.begin(
            "test", Before.RAW, new Target("zstd:3", EncodingPolicy.STANDARD), true, List.of("id int"), Instant.EPOCH);

    private static State read(String json) {
        return State.MAPPER.readValue(json, State.class);
    }

    @Test
    void aStateIsReadAsItWasWritten() {
        State state = BEGUN.of(Optional.of(new ColumnIdentity("3,7", 2)));

        assertThat(read(State.MAPPER.writeValueAsString(state))).isEqualTo(state);
    }

    /** It knows the table, and not the place of the column. */
    @Test
    void aChangeThatAnOlderVersionHasBegunContinues() {
        String json = State.MAPPER.writeValueAsString(BEGUN.of(Optional.of(new ColumnIdentity("7", 2))));
        State older = read(json.replaceFirst(",\"ordinal\":2", ""));

        assertThat(older.table()).contains(new ColumnIdentity("7", 0));
        assertThat(older.isOfOther(new ColumnIdentity("7", 3))).isFalse();
        assertThat(older.isOfOther(new ColumnIdentity("8", 3))).isTrue();
    }

    @Test
    void anotherPlaceIsAnotherColumn() {
        State state = BEGUN.of(Optional.of(new ColumnIdentity("7", 200)));

        assertThat(state.isOfOther(new ColumnIdentity("7", 200))).isFalse();
        assertThat(state.isOfOther(new ColumnIdentity("7", 201))).isTrue();
        assertThat(state.isOfOther(new ColumnIdentity("", 200))).isFalse();
    }
}
