package dev.blobmark.report.document;

/** How much attention a text asks for. */
public enum Tone {
    STRONG("1"),
    PLAIN(""),
    FACT("2"),
    GOOD("32"),
    WARNING("33"),
    ALARM("31");

    /** Parameter of the ANSI escape "Select Graphic Rendition". */
    final String code;

    Tone(String code) {
        this.code = code;
    }
}
