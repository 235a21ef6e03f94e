package dev.blobmark.report.document;

import java.util.List;

/**
 * A report for people, in no particular form.
 *
 * @param sections the title of the first is that of the document
 */
public record Document(List<Section> sections) {

    public Document {
        sections = List.copyOf(sections);
    }

    /** @param title may be empty */
    public record Section(String title, Tone tone, List<Block> blocks) {

        public Section {
            blocks = List.copyOf(blocks);
        }

        public static Section of(String title, List<Block> blocks) {
            return new Section(title, Tone.STRONG, blocks);
        }

        public static Section untitled(Block... blocks) {
            return of("", List.of(blocks));
        }
    }
}
