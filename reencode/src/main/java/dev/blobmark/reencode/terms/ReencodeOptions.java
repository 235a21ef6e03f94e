package dev.blobmark.reencode.terms;

/**
 * How a change is done.
 *
 * @param isCopy whether rows are copied to a new table, which then takes the place of the former one; otherwise they
 *     are changed where they are
 * @param keepsOriginals whether former bytes are kept that decoding does not give back, of values that were encoded
 *     before; without them, the way back decodes these values
 * @param writers connections that change rows at the same time, 1 to 256; 1 for a copy
 * @param force whether it may work although a reader that announced itself cannot read what is written, or the table
 *     seems to be another one than the one that was changed
 */
public record ReencodeOptions(Pace pace, boolean isCopy, boolean keepsOriginals, int writers, boolean force) {

    static final int MAX_WRITERS = 256;

    public static final ReencodeOptions USUAL = new ReencodeOptions(Pace.USUAL, false, true, 1, false);

    /** The same with another number of writers. */
    public ReencodeOptions withWriters(int number) {
        return new ReencodeOptions(pace, isCopy, keepsOriginals, number, force);
    }

    /** The same that may work on what seems to be another table. */
    public ReencodeOptions forced() {
        return new ReencodeOptions(pace, isCopy, keepsOriginals, writers, true);
    }

    /** @throws IllegalArgumentException if the number of writers is out of range */
    public ReencodeOptions {
        if (writers < 1 || writers > MAX_WRITERS) {
            throw new IllegalArgumentException(writers + " writers; there are 1 to " + MAX_WRITERS);
        }
        if (isCopy && writers > 1) {
            throw new IllegalArgumentException("a copy has one writer; leave out --writers");
        }
    }
}
