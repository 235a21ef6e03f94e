package dev.blobmark.stats;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/**
 * Groups of statistically tied methods, as a compact letter display: methods that share a letter are tied, methods that
 * share none differ. A method can have several letters, since ties are not transitive; it is then tied with two groups
 * that differ from each other.
 *
 * <p>H.-P. Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons" (J. Comput. Graph.
 * Statist. 13, 2004).
 *
 * @param ranked the methods, the best first
 * @param groups for each letter its methods, in the order of {@code ranked}; the best method's group first
 */
public record Tiers(List<String> ranked, List<List<String>> groups) {

    private static final int LETTERS = 26;

    public Tiers {
        ranked = List.copyOf(ranked);
        groups = groups.stream().map(List::copyOf).toList();
    }

    /** @param areApart whether a better and a worse method, in this order, differ significantly */
    public static Tiers of(List<String> ranked, BiPredicate<String, String> areApart) {
        List<Set<String>> columns = new ArrayList<>(List.of(new LinkedHashSet<>(ranked)));
        for (int i = 0; i < ranked.size(); i++) {
            for (int j = i + 1; j < ranked.size(); j++) {
                String better = ranked.get(i);
                String worse = ranked.get(j);
                if (areApart.test(better, worse)) {
                    columns = split(columns, better, worse);
                }
            }
        }
        return new Tiers(
                ranked,
                columns.stream()
                        .map(column -> ranked.stream().filter(column::contains).toList())
                        .filter(column -> !column.isEmpty())
                        .sorted((one, other) -> compare(ranked, one, other))
                        .toList());
    }

    /** The steps that Piepho calls insert and absorb. */
    private static List<Set<String>> split(List<Set<String>> columns, String better, String worse) {
        List<Set<String>> split = new ArrayList<>();
        for (Set<String> column : columns) {
            if (column.contains(better) && column.contains(worse)) {
                split.add(without(column, better));
                split.add(without(column, worse));
            } else {
                split.add(column);
            }
        }
        List<Set<String>> kept = new ArrayList<>();
        for (int i = 0; i < split.size(); i++) {
            Set<String> one = split.get(i);
            boolean isAbsorbed = false;
            for (int j = 0; j < split.size() && !isAbsorbed; j++) {
                Set<String> other = split.get(j);
                isAbsorbed = i != j && other.containsAll(one) && (other.size() > one.size() || j < i);
            }
            if (!isAbsorbed) {
                kept.add(one);
            }
        }
        return kept;
    }

    private static Set<String> without(Set<String> column, String method) {
        return column.stream()
                .filter(each -> !each.equals(method))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static int compare(List<String> ranked, List<String> one, List<String> other) {
        for (int i = 0; i < Math.min(one.size(), other.size()); i++) {
            int by = Integer.compare(ranked.indexOf(one.get(i)), ranked.indexOf(other.get(i)));
            if (by != 0) {
                return by;
            }
        }
        return Integer.compare(one.size(), other.size());
    }

    /** {@code a}, {@code ab}; after {@code z} comes {@code a2}. Empty for an unknown method. */
    public String letters(String method) {
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < groups.size(); i++) {
            if (groups.get(i).contains(method)) {
                letters.append((char) ('a' + i % LETTERS)).append(i < LETTERS ? "" : 1 + i / LETTERS);
            }
        }
        return letters.toString();
    }

    /** Whether both share a letter. */
    public boolean areTied(String one, String other) {
        return groups.stream().anyMatch(group -> group.contains(one) && group.contains(other));
    }

    /**
     * The methods from the best down, each once: each step is the best remaining method with the remaining ones tied
     * with it.
     */
    public List<List<String>> steps() {
        List<List<String>> steps = new ArrayList<>();
        List<String> left = new ArrayList<>(ranked);
        while (!left.isEmpty()) {
            String leader = left.get(0);
            List<String> step = left.stream()
                    .filter(method -> method.equals(leader) || areTied(leader, method))
                    .toList();
            steps.add(step);
            left.removeAll(step);
        }
        return steps;
    }

    /** Whether a method is also tied with one of a better step than its own. */
    public boolean isBetween(String method) {
        for (List<String> step : steps()) {
            if (step.contains(method)) {
                return false;
            }
            if (step.stream().anyMatch(other -> areTied(method, other))) {
                return true;
            }
        }
        return false;
    }
}
