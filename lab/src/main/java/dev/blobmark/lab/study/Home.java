package dev.blobmark.lab.study;

import java.nio.file.Path;

/** The user's home in levels that are paths. It is written as {@code ~}, since a study's levels are in every report. */
public final class Home {

    private Home() {}

    /** The path with {@code ~} for the home, where it begins with that. */
    public static String hidden(String path) {
        String home = System.getProperty("user.home");
        return home.length() > 1 && path.startsWith(home + "/") ? "~" + path.substring(home.length()) : path;
    }

    /** The file that such a path names. */
    public static Path path(String text) {
        return Path.of(text.startsWith("~/") ? System.getProperty("user.home") + text.substring(1) : text);
    }
}
