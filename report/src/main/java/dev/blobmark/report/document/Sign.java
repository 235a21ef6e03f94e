package dev.blobmark.report.document;

/** How a figure compares with another one: shown next to it, so that colour is not needed to see it. */
public enum Sign {
    BETTER("▲", "better", Tone.GOOD),
    WORSE("▼", "worse", Tone.ALARM),
    EQUAL("=", "equal", Tone.PLAIN),
    OPEN("?", "not decided", Tone.FACT),
    NONE("", "", Tone.PLAIN);

    final String mark;
    final String word;
    final Tone tone;

    Sign(String mark, String word, Tone tone) {
        this.mark = mark;
        this.word = word;
        this.tone = tone;
    }
}
