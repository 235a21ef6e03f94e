package dev.blobmark.bench.reencode.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.bench.reencode.witness.Judgement.Fate;
import dev.blobmark.bench.reencode.witness.Judgement.Kind;
import dev.blobmark.reencode.checkpoint.Verdict;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a copy may do wrong is found, and what it may do is not. */
class JudgementTest {

    private static final Optional<Content> NONE = Optional.empty();
    private static final Optional<Content> INITIAL = content("initial");
    private static final Optional<Content> UNLOGGED = content("unlogged");
    private static final Optional<Content> LATER = content("later");

    private final History history = new History(INITIAL);
    private final Map<Integer, Difference> named = new HashMap<>();

    private static Optional<Content> content(String token) {
        return Optional.of(new Content(Optional.of("value of " + token), token));
    }

    private static Map<Integer, Content> table(Optional<Content> row) {
        return row.map(content -> Map.of(1, content)).orElse(Map.of());
    }

    private void unlogged() {
        history.add(INITIAL, UNLOGGED, false, false);
    }

    /** A row that differed. */
    private void name(Optional<Content> former, Optional<Content> fresh, String fate) {
        named.put(1, new Difference(former, fresh, fate));
    }

    private Verdict verdict() {
        String fate = named.values().stream().map(Difference::fate).findFirst().orElse("");
        return new Verdict(
                1,
                fate.equals("BROUGHT_OVER") ? 1 : 0,
                fate.equals("CONFLICT") ? 1 : 0,
                fate.equals("UNDECIDED") ? 1 : 0,
                false,
                !fate.equals("UNDECIDED"));
    }

    private Judgement judge(Optional<Content> now, Optional<Content> former, Optional<Content> replica) {
        return Judgement.of(
                Map.of(1, history),
                new Judgement.Tables(table(now), table(former), table(replica)),
                named,
                verdict(),
                true);
    }

    private static void assertRight(Judgement judgement, Fate fate) {
        assertThat(judgement.violations()).isEmpty();
        assertThat(judgement.rows()).isEqualTo(Map.of(fate, 1));
    }

    @Test
    void aRowThatWasCopiedAfterwardsIsRight() {
        unlogged();

        assertRight(judge(UNLOGGED, UNLOGGED, UNLOGGED), Fate.SEEN);
        assertThat(judge(UNLOGGED, UNLOGGED, INITIAL).count(Kind.REPLICA)).isOne();
    }

    @Test
    void aRowThatWasBroughtOverIsRightWithoutTheReplica() {
        unlogged();
        name(UNLOGGED, INITIAL, "BROUGHT_OVER");

        assertRight(judge(UNLOGGED, UNLOGGED, INITIAL), Fate.BROUGHT_OVER);
        assertThat(judge(UNLOGGED, UNLOGGED, UNLOGGED).count(Kind.REPLICA)).isOne();
        assertThat(judge(INITIAL, UNLOGGED, INITIAL).count(Kind.NEEDLESS)).isOne();
    }

    @Test
    void aChangeThatIsMissedIsFound() {
        unlogged();

        assertThat(judge(INITIAL, UNLOGGED, INITIAL).count(Kind.MISSED)).isOne();
        history.add(INITIAL, LATER, true, true);
        assertThat(judge(LATER, UNLOGGED, LATER).count(Kind.MISSED)).isOne();
    }

    @Test
    void contentsThatWereNotKeptAreFound() {
        unlogged();
        history.add(INITIAL, LATER, true, true);
        name(UNLOGGED, LATER, "CONFLICT");
        assertThat(judge(LATER, UNLOGGED, LATER).count(Kind.MISSED)).isOne();
        name(INITIAL, INITIAL, "CONFLICT");
        assertThat(judge(LATER, UNLOGGED, LATER).count(Kind.MISSED)).isOne();

        name(UNLOGGED, INITIAL, "CONFLICT");
        assertRight(judge(LATER, UNLOGGED, LATER), Fate.CONFLICT);
    }

    @Test
    void aWriteThatIsOverwrittenIsFound() {
        unlogged();
        history.add(INITIAL, LATER, true, true);
        name(UNLOGGED, INITIAL, "BROUGHT_OVER");

        assertThat(judge(UNLOGGED, UNLOGGED, LATER).count(Kind.OVERWRITTEN)).isOne();
        assertThat(judge(content("of nobody"), UNLOGGED, LATER).count(Kind.OVERWRITTEN))
                .isOne();
    }

    /** The application wrote the bytes of the exchange again. */
    @Test
    void aRowThatWasChangedAndChangedBackIsNotBroughtOver() {
        unlogged();
        history.add(INITIAL, LATER, true, true);
        history.add(LATER, INITIAL, true, true);
        name(UNLOGGED, INITIAL, "BROUGHT_OVER");

        assertThat(judge(UNLOGGED, UNLOGGED, INITIAL).count(Kind.OVERWRITTEN)).isOne();
        name(UNLOGGED, INITIAL, "CONFLICT");
        assertRight(judge(INITIAL, UNLOGGED, INITIAL), Fate.CONFLICT);
    }

    @Test
    void aRowThatIsLeftWithoutAReasonIsFound() {
        unlogged();
        name(UNLOGGED, INITIAL, "CONFLICT");

        assertThat(judge(INITIAL, UNLOGGED, INITIAL).count(Kind.NEEDLESS)).isOne();
        name(UNLOGGED, UNLOGGED, "UNDECIDED");
        assertThat(judge(UNLOGGED, UNLOGGED, UNLOGGED).count(Kind.NEEDLESS)).isOne();
        name(UNLOGGED, INITIAL, "UNDECIDED");
        assertRight(judge(INITIAL, UNLOGGED, INITIAL), Fate.UNDECIDED);
    }

    @Test
    void aFormerTableThatLacksAChangeIsFound() {
        history.add(INITIAL, NONE, true, false);

        assertThat(judge(NONE, INITIAL, NONE).count(Kind.FORMER)).isOne();
        assertThat(judge(NONE, NONE, NONE).violations()).isEmpty();
    }

    /** The value and the other columns of a row are copied by different reads. */
    @Test
    void columnsOfDifferentTimesMayBeCopied() {
        unlogged();
        Optional<Content> torn =
                Optional.of(new Content(INITIAL.get().payload(), UNLOGGED.get().note()));
        name(UNLOGGED, torn, "BROUGHT_OVER");

        assertRight(judge(UNLOGGED, UNLOGGED, torn), Fate.BROUGHT_OVER);
    }

    @Test
    void aLimitThatIsNotKeptIsFound() {
        Map<Integer, History> histories = new HashMap<>();
        Map<Integer, Content> former = new HashMap<>();
        Map<Integer, Content> replica = new HashMap<>();
        for (int key = 0; key < 11; key++) {
            History each = new History(INITIAL);
            each.add(INITIAL, UNLOGGED, false, false);
            histories.put(key, each);
            former.put(key, UNLOGGED.get());
            replica.put(key, INITIAL.get());
            named.put(key, new Difference(UNLOGGED, INITIAL, "BROUGHT_OVER"));
        }
        Judgement.Tables broughtOver = new Judgement.Tables(former, former, replica);
        Verdict few = new Verdict(11, 11, 0, 0, false, true);

        assertThat(Judgement.of(histories, broughtOver, named, few, true).count(Kind.NEEDLESS))
                .isOne();
        named.replaceAll((key, each) -> new Difference(each.former(), each.fresh(), "FOUND"));
        Verdict many = new Verdict(11, 0, 11, 0, true, true);
        Judgement left = Judgement.of(histories, new Judgement.Tables(replica, former, replica), named, many, true);
        assertThat(left.violations()).isEmpty();
        assertThat(left.rows()).isEqualTo(Map.of(Fate.TOO_MANY, 11));
    }

    /** The replica would stop at a logged change of a row that only one of both servers has. */
    @Test
    void aRowThatOnlyOneServerHasIsKnown() {
        history.add(INITIAL, NONE, false, false);
        assertThat(history.isUneven()).isTrue();
        assertThat(history.isRight(INITIAL, false)).isFalse();
        assertThat(history.isRight(INITIAL, true)).isTrue();
        assertThat(history.isRight(LATER, true)).isFalse();

        history.add(INITIAL, LATER, true, true);
        assertThat(history.isUneven()).isFalse();
        assertThat(history.isRight(LATER, true)).isTrue();
        assertThat(history.isRight(LATER, false)).isFalse();
    }
}
