package dev.blobmark.lab.study;

import java.util.List;

/**
 * What a study says of itself.
 *
 * @param question what it answers; may be empty
 * @param source who asked first; may be empty
 * @param profiles their names, the default first; may be empty
 */
public record StudyDescription(String name, String question, String source, List<String> profiles) {

    public StudyDescription {
        profiles = List.copyOf(profiles);
    }
}
