package dev.blobmark.lab.study;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Set;

/** Collects the problems of a study without duplicates, so that all are reported at once. */
final class Problems {

    private final Set<Problem> all = new LinkedHashSet<>();

    void add(Place place, String reason, String remedy) {
        all.add(new Problem(place, reason, remedy));
    }

    /** Adds a problem whose reason and remedy are in the message of an exception. */
    void add(Place place, IllegalArgumentException e) {
        add(place, e.getMessage(), "");
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
