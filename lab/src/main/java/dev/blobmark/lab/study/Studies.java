package dev.blobmark.lab.study;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The built-in studies. Each is a YAML file in the resources of this package. */
public final class Studies {

    /** The study that runs on a user's own values when no study is named; it runs on nothing else. */
    public static final String OWN_DATA = "own-data";

    private static final List<String> NAMES = List.of(
            "blob-fetch",
            OWN_DATA,
            "innodb-compression",
            "innodb-inline",
            "set-membership",
            "ndb-blob",
            "postgresql-toast",
            "small-values");

    private Studies() {}

    public static List<String> names() {
        return NAMES;
    }

    /**
     * Reads a built-in study.
     *
     * @param profile one of the study's profiles; empty for the first
     * @throws IllegalArgumentException if there is no such study; the message suggests a name
     * @throws StudyException if the study does not fit the vocabulary, or has no such profile
     */
    public static Study read(String name, Vocabulary vocabulary, Optional<String> profile) {
        return new StudyReader(vocabulary).read(text(name), name + ".yaml", profile);
    }

    /** The descriptions of the built-in studies. */
    public static List<StudyDescription> describe() {
        return NAMES.stream()
                .map(name -> StudyReader.describe(text(name), name + ".yaml"))
                .toList();
    }

    /** The YAML of a built-in study. */
    public static String text(String name) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException("unknown study '" + name + "'; " + Spelling.suggest(name, NAMES));
        }
        try (InputStream in = Studies.class.getResourceAsStream(name + ".yaml")) {
            if (in == null) {
                throw new IllegalStateException(name + ".yaml is not in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
