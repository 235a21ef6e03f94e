package dev.blobmark.lab.study;

import java.nio.file.Path;

/** Paths in levels. The user's home is written as {@code ~}, because levels appear in every report. */
public final class HomeDirectory {

    private HomeDirectory() {}

    /** The path, with {@code ~} instead of the user's home if it begins with it. */
    public static String hidden(String path) {
        String home = System.getProperty("user.home");
        return home.length() > 1 && path.startsWith(home + "/") ? "~" + path.substring(home.length()) : path;
    }

    /** The path that a text names, with the user's home instead of {@code ~}. */
    public static Path path(String text) {
        return Path.of(text.startsWith("~/") ? System.getProperty("user.home") + text.substring(1) : text);
    }
}
