package dev.blobmark.lab.study;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Canonical levels of factors, sorted by the factors' names.
 *
 * @param byFactor level by the factor's name
 */
public record Levels(@JsonValue SortedMap<String, String> byFactor) {

    @JsonCreator
    public Levels {
        byFactor = Collections.unmodifiableSortedMap(new TreeMap<>(byFactor));
    }

    public static Levels of(Map<String, String> byFactor) {
        return new Levels(new TreeMap<>(byFactor));
    }

    public Optional<String> find(String factor) {
        return Optional.ofNullable(byFactor.get(factor));
    }

    public Optional<String> find(Factor<?> factor) {
        return find(factor.name());
    }

    /** These levels, overridden by the others. */
    public Levels with(Levels others) {
        TreeMap<String, String> all = new TreeMap<>(byFactor);
        all.putAll(others.byFactor);
        return new Levels(all);
    }

    public Levels with(String factor, String level) {
        return with(of(Map.of(factor, level)));
    }

    /** The levels of the factors that a test accepts. */
    public Levels only(Predicate<String> factors) {
        TreeMap<String, String> some = new TreeMap<>(byFactor);
        some.keySet().removeIf(factors.negate());
        return new Levels(some);
    }

    /** {@code codec=zstd:3,size=64KB}. Equal levels have equal texts, because factors are sorted. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        byFactor.forEach((factor, level) -> text.append(text.isEmpty() ? "" : ",")
                .append(factor)
                .append('=')
                .append(level));
        return text.toString();
    }
}
