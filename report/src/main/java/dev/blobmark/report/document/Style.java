package dev.blobmark.report.document;

/**
 * What the terminal that a text is written for can show. The program that prints the text decides.
 *
 * @param columns no row of a table is wider; 60 to 240, and the nearest of these for any other number
 * @param isColoured whether text is marked up with ANSI escapes
 * @param hasBars whether figures are also drawn as bars, which takes UTF-8
 */
public record Style(int columns, boolean isColoured, boolean hasBars) {

    public static final int USUAL_COLUMNS = 100;

    private static final int FEWEST_COLUMNS = 60;
    private static final int MOST_COLUMNS = 240;

    public static final Style PLAIN = new Style(USUAL_COLUMNS, false, false);
    public static final Style ANSI = new Style(USUAL_COLUMNS, true, false);

    public Style {
        columns = Math.max(FEWEST_COLUMNS, Math.min(MOST_COLUMNS, columns));
    }

    public String paint(Tone tone, String text) {
        return !isColoured || tone == Tone.PLAIN || text.isEmpty()
                ? text
                : "\u001b[" + tone.code + "m" + text + "\u001b[0m";
    }
}
