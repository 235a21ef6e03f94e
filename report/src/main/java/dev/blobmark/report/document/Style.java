package dev.blobmark.report.document;

/** Whether text for a terminal is marked up with ANSI escapes. The program that prints it decides. */
public enum Style {
    PLAIN,
    ANSI;

    public String paint(Tone tone, String text) {
        return this == PLAIN || tone == Tone.PLAIN || text.isEmpty()
                ? text
                : "\u001b[" + tone.code + "m" + text + "\u001b[0m";
    }
}
