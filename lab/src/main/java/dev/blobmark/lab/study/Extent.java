package dev.blobmark.lab.study;

import dev.blobmark.lab.study.Claim.Bounds;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Words for how much greater a figure is than another one. The texts that claims come from do not say what they mean by
 * them. These ranges are Blobmark's reading, the same for all claims.
 */
enum Extent {
    SLIGHTLY(new Bounds(1, 1.1)),
    SIGNIFICANTLY(new Bounds(1.1, Double.POSITIVE_INFINITY)),
    MUCH(new Bounds(1.5, Double.POSITIVE_INFINITY)),
    EXTREMELY(new Bounds(10, Double.POSITIVE_INFINITY));

    private final Bounds bounds;

    Extent(Bounds bounds) {
        this.bounds = bounds;
    }

    /** The range in which the ratio of the greater figure to the other one must lie. */
    Bounds bounds() {
        return bounds;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Extent> find(String word) {
        return Arrays.stream(values())
                .filter(extent -> extent.word().equals(word))
                .findFirst();
    }

    static List<String> words() {
        return Arrays.stream(values()).map(Extent::word).toList();
    }
}
