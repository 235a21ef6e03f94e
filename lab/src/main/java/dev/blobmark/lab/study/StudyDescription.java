package dev.blobmark.lab.study;

import java.util.List;

/**
 * The description of a study in its file.
 *
 * @param question what the study answers; may be empty
 * @param source who asked first; may be empty
 * @param profiles names of the profiles, the default first; may be empty
 */
public record StudyDescription(String name, String question, String source, List<String> profiles) {

    public StudyDescription {
        profiles = List.copyOf(profiles);
    }
}
