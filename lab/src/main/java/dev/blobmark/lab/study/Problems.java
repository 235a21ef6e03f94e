package dev.blobmark.lab.study;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Set;

/** Gathers the problems of a study, each once, so that all can be told together. */
final class Problems {

    private final Set<Problem> all = new LinkedHashSet<>();

    void add(Place place, String what, String mend) {
        all.add(new Problem(place, what, mend));
    }

    /** A problem whose reason and mend a parser has told in one. */
    void add(Place place, IllegalArgumentException told) {
        add(place, told.getMessage(), "");
    }

    int count() {
        return all.size();
    }

    void throwIfAny() {
        if (count() > 0) {
            throw new StudyException(all.stream()
                    .sorted(Comparator.comparing(Problem::place, Place.READING_ORDER))
                    .toList());
        }
    }
}
