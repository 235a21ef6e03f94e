package dev.blobmark.report;

/** Whether text for a terminal is marked up with ANSI escapes. Who prints it decides. */
public enum Style {
    PLAIN,
    ANSI;

    String bold(String text) {
        return wrap("1", text);
    }

    String dim(String text) {
        return wrap("2", text);
    }

    String warn(String text) {
        return wrap("33", text);
    }

    String alarm(String text) {
        return wrap("31", text);
    }

    private String wrap(String code, String text) {
        return this == PLAIN || text.isEmpty() ? text : "\u001b[" + code + "m" + text + "\u001b[0m";
    }
}
