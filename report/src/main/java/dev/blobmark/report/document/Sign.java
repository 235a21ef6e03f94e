package dev.blobmark.report.document;

/** How a figure compares with another one: shown next to it, so that colour is not needed to see it. */
public enum Sign {
    BETTER("▲", "better"),
    WORSE("▼", "worse"),
    EQUAL("=", "equal"),
    OPEN("?", "not decided"),
    NONE("", "");

    final String mark;
    final String word;

    Sign(String mark, String word) {
        this.mark = mark;
        this.word = word;
    }
}
