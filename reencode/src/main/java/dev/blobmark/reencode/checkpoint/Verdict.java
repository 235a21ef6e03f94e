package dev.blobmark.reencode.checkpoint;

import java.util.Locale;

/**
 * What the comparison after an exchange found: whether the new table had all that was committed to the former one.
 *
 * @param rows of the former table that were compared
 * @param broughtOver rows that differed, and were changed to those of the former table afterwards
 * @param conflicts rows that differed, and were left: the application has changed them since, or they may not be
 *     changed
 * @param undecided rows that differ now, and may have been equal at the exchange
 * @param isTooMany whether more differed than are brought over; then only some are named
 * @param byViews whether both tables were compared as they were at the exchange; otherwise the former one with a digest
 */
public record Verdict(long rows, long broughtOver, long conflicts, long undecided, boolean isTooMany, boolean byViews) {

    /** Whether nothing was lost. */
    public boolean isClean() {
        return broughtOver == 0 && !isOpen();
    }

    /** Whether somebody must look at rows before the former table may be dropped. */
    public boolean isOpen() {
        return conflicts > 0 || undecided > 0 || isTooMany;
    }

    /** A sentence. */
    public String inWords() {
        String found = String.format(
                Locale.ROOT,
                "%,d rows of the former table were compared with the new one, %s: ",
                rows,
                byViews ? "as both were at the exchange" : "by a digest of what was written to it");
        if (isTooMany) {
            return found + "more rows differ than lost changes explain; nothing was changed";
        }
        if (isClean()) {
            return found + "nothing was lost";
        }
        return found
                + String.format(
                        Locale.ROOT,
                        "%,d lacked a change that was not in the log, and have it now; %,d differ and were left as they are;"
                                + " %,d are undecided",
                        broughtOver,
                        conflicts,
                        undecided);
    }
}
