package dev.blobmark.bench.reencode.witness;

import dev.blobmark.reencode.checkpoint.Verdict;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is right after a copy, derived from what was committed and not from how the comparison works.
 *
 * <ul>
 *   <li>The former table has all that was committed before the exchange.
 *   <li>A row that was written since has the content of the last write, whoever made it and whatever was lost before.
 *   <li>Another row has what the former table has, or it is named.
 *   <li>A row that lacked a change is named with both contents. It has the change now, unless it was written since, or
 *       the account may not leave the log, or too many differ, or a view was lost.
 *   <li>The replica has the content after the last logged change, if that was made after the exchange. Otherwise it has
 *       what the new table had at the exchange: without what was brought over, and with what the copy itself has read.
 * </ul>
 */
record Judgement(Map<Fate, Integer> rows, Map<Kind, List<String>> violations) {

    /** What became of a row with a change that no log has. */
    enum Fate {
        /** The new table had it at the exchange: it was copied afterwards, or a logged change has followed. */
        SEEN,
        BROUGHT_OVER,
        /** Named, and left as it was. */
        CONFLICT,
        UNDECIDED,
        /** It differs, and so do too many others. */
        TOO_MANY
    }

    /** What is wrong. */
    enum Kind {
        /** The new table lacks a change, and the row is not named with it. */
        MISSED,
        /** A write after the exchange is gone, or a row has what nobody has written. */
        OVERWRITTEN,
        /** The replica has another content than it should have. */
        REPLICA,
        /** A row was left without a reason, or is named without one, or the verdict does not count what is named. */
        NEEDLESS,
        /** The former table is not the one that it was. */
        FORMER
    }

    /**
     * Contents by keys.
     *
     * @param now of the table in use
     * @param former of the former table
     * @param replica of the table in use on the replica
     */
    record Tables(Map<Integer, Content> now, Map<Integer, Content> former, Map<Integer, Content> replica) {}

    private static final int FEW = 10;
    private static final int MOST = 1_000;
    private static final double MOST_SHARE = 0.001;

    static Judgement of(
            Map<Integer, History> histories,
            Tables tables,
            Map<Integer, Difference> named,
            Verdict verdict,
            boolean mayLeaveLog) {
        Judgement judgement = new Judgement(new EnumMap<>(Fate.class), new EnumMap<>(Kind.class));
        int lacking = 0;
        for (Map.Entry<Integer, History> entry : histories.entrySet()) {
            int key = entry.getKey();
            lacking += judgement.judge(
                            "row " + key,
                            entry.getValue(),
                            Optional.ofNullable(tables.now().get(key)),
                            Optional.ofNullable(tables.former().get(key)),
                            Optional.ofNullable(tables.replica().get(key)),
                            Optional.ofNullable(named.get(key)),
                            verdict,
                            mayLeaveLog)
                    ? 1
                    : 0;
        }
        for (Map<Integer, Content> table : List.of(tables.now(), tables.former(), tables.replica())) {
            table.keySet().stream()
                    .filter(key -> !histories.containsKey(key))
                    .forEach(key -> judgement.add(Kind.OVERWRITTEN, "row " + key + " was written by nobody"));
        }
        judgement.judge(verdict, named, lacking, tables.former().size());
        return judgement;
    }

    private void add(Kind kind, String text) {
        violations.computeIfAbsent(kind, of -> new ArrayList<>()).add(text);
    }

    int count(Kind kind) {
        return violations.getOrDefault(kind, List.of()).size();
    }

    /** Judges a row; whether the new table lacked a change of it at the exchange, or may have. */
    private boolean judge(
            String row,
            History history,
            Optional<Content> now,
            Optional<Content> kept,
            Optional<Content> replica,
            Optional<Difference> named,
            Verdict verdict,
            boolean mayLeaveLog) {
        String all = ": now " + now + ", former " + kept + ", replica " + replica + ", named " + named + ", written "
                + history;
        Optional<Content> former = history.former();
        if (!kept.equals(former)) {
            add(Kind.FORMER, row + all);
        }
        if (history.hasLater() && !now.equals(history.current())) {
            add(Kind.OVERWRITTEN, row + all);
        }
        Optional<Content> base = history.hasLater() ? history.base() : now;
        if (!base.equals(former) && !history.mayHaveHad(base)) {
            add(Kind.OVERWRITTEN, row + all);
        }
        boolean isLeft = !base.equals(former);
        boolean isUnchanged = !history.hasLater();
        boolean isDecided = verdict.byViews() && !verdict.isTooMany();
        boolean wasEqualSince = !verdict.byViews() && history.hadLater(former);
        if (named.isPresent() && !hasBoth(named.get(), history, base, verdict.byViews())
                || named.isEmpty() && isLeft && !verdict.isTooMany() && !wasEqualSince) {
            add(Kind.MISSED, row + all);
        }
        boolean isSettled = named.filter(Judgement::isSettled).isPresent();
        boolean isLeftWithoutReason = isLeft && isUnchanged && isDecided && (mayLeaveLog || isSettled);
        boolean isNamedWithoutReason = !isLeft && isUnchanged && named.isPresent() && !isSettled;
        if (isLeftWithoutReason || isNamedWithoutReason) {
            add(Kind.NEEDLESS, row + all);
        }
        // what the new table had at the exchange
        Optional<Content> fresh = isDecided ? named.map(Difference::fresh).orElse(former) : base;
        if (!replica.equals(history.lastLoggedLater().orElse(fresh))) {
            add(Kind.REPLICA, row + all);
        }
        if (history.hasUnlogged()) {
            rows.merge(fate(isLeft, named, verdict), 1, Integer::sum);
        }
        return isLeft || isDecided && named.isPresent();
    }

    /** Whether what is kept is what both tables had: at the exchange, or without a view at some time since. */
    private static boolean hasBoth(Difference named, History history, Optional<Content> base, boolean byViews) {
        boolean isLeft = !base.equals(history.former());
        boolean hasFresh = byViews
                ? (isLeft ? named.fresh().equals(base) : history.mayHaveHad(named.fresh()))
                : named.fresh().equals(base) || history.hadLater(named.fresh());
        return hasFresh && named.former().equals(history.former());
    }

    private static boolean isSettled(Difference named) {
        return named.fate().equals("BROUGHT_OVER") || named.fate().equals("EQUAL");
    }

    private static Fate fate(boolean isLeft, Optional<Difference> named, Verdict verdict) {
        if (verdict.isTooMany()) {
            return isLeft ? Fate.TOO_MANY : Fate.SEEN;
        }
        return named.map(each -> switch (each.fate()) {
                    case "BROUGHT_OVER", "EQUAL" -> Fate.BROUGHT_OVER;
                    case "UNDECIDED" -> Fate.UNDECIDED;
                    default -> Fate.CONFLICT;
                })
                .orElse(Fate.SEEN);
    }

    /** Whether the verdict is about what is named, and the limit was kept. */
    private void judge(Verdict verdict, Map<Integer, Difference> named, int lacking, int formerRows) {
        long broughtOver = count(named, "BROUGHT_OVER");
        long conflicts = count(named, "CONFLICT") + count(named, "FOUND");
        if (verdict.broughtOver() != broughtOver
                || verdict.conflicts() != conflicts
                || verdict.undecided() != count(named, "UNDECIDED")
                || verdict.isTooMany() && broughtOver > 0) {
            add(Kind.NEEDLESS, verdict + " of " + named.values());
        }
        boolean areMany = lacking > Math.max(FEW, formerRows * MOST_SHARE) || lacking >= MOST;
        if (verdict.byViews() && verdict.isTooMany() != areMany) {
            add(Kind.NEEDLESS, lacking + " of " + formerRows + " rows lacked a change: " + verdict);
        }
    }

    private static long count(Map<Integer, Difference> named, String fate) {
        return named.values().stream().filter(each -> each.fate().equals(fate)).count();
    }
}
