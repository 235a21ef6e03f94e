package dev.blobmark.lab.study;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import org.apache.commons.text.similarity.DamerauLevenshteinDistance;

/** Suggestions for a mistyped word. */
public final class Spelling {

    private static final int MAX_LISTED = 12;

    private Spelling() {}

    /**
     * The candidate nearest to a word: at most one edit per three letters away, or else one that begins with the word.
     * Swapping two letters is one edit. Empty if no candidate is near enough.
     */
    public static Optional<String> nearest(String word, Collection<String> candidates) {
        String wanted = word.toLowerCase(Locale.ROOT);
        int threshold = Math.max(1, Math.min(4, (wanted.length() + 1) / 3));
        DamerauLevenshteinDistance distance = new DamerauLevenshteinDistance(threshold);
        String nearest = null;
        int least = Integer.MAX_VALUE;
        for (String candidate : candidates) {
            String lower = candidate.toLowerCase(Locale.ROOT);
            int edits = distance.apply(wanted, lower);
            if (edits < 0 && wanted.length() >= 3 && lower.startsWith(wanted)) {
                edits = threshold + 1;
            }
            if (edits >= 0 && edits < least) {
                least = edits;
                nearest = candidate;
            }
        }
        return Optional.ofNullable(nearest);
    }

    /** The remedy for an unknown word: the nearest candidate, or else a list of the candidates. */
    public static String suggest(String word, Collection<String> candidates) {
        return suggest(word, candidates, MAX_LISTED);
    }

    /** The same, with a list of all candidates, however many there are. */
    public static String suggestOfAll(String word, Collection<String> candidates) {
        return suggest(word, candidates, Integer.MAX_VALUE);
    }

    private static String suggest(String word, Collection<String> candidates, int listed) {
        return nearest(word, candidates)
                .map(near -> "did you mean '" + near + "'?")
                .orElseGet(() -> {
                    if (candidates.isEmpty()) {
                        return "there is none";
                    }
                    String names =
                            String.join(", ", candidates.stream().limit(listed).toList());
                    return "it is one of " + names + (candidates.size() > listed ? ", …" : "");
                });
    }
}
