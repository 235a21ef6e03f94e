package dev.blobmark.lab.study;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The levels of a trial, or of what several trials share, as values of the factors' types. Each level is parsed once, when
 * it is first asked for. Two designs are equal if their levels are.
 */
public final class Design {

    private final Levels levels;

    /** By the factor's name, of the type that the factor parses to. */
    private final Map<String, Object> parsed = new ConcurrentHashMap<>();

    public Design(Levels levels) {
        this.levels = levels;
    }

    /** @param byFactor levels by the names of factors */
    public static Design of(Map<String, String> byFactor) {
        return new Design(Levels.of(byFactor));
    }

    /** The levels as studies and files write them. */
    public Levels levels() {
        return levels;
    }

    /** The levels of some factors alone, without parsing them again. */
    public Design only(Predicate<String> factors) {
        Design some = new Design(levels.only(factors));
        parsed.forEach((factor, value) -> {
            if (some.levels.byFactor().containsKey(factor)) {
                some.parsed.put(factor, value);
            }
        });
        return some;
    }

    /**
     * The level of a factor, or its default.
     *
     * @throws IllegalArgumentException if the factor has no level here and no default, or if it cannot be parsed
     */
    @SuppressWarnings("unchecked") // what is kept under a factor's name has come from that factor
    public <T> T get(Factor<T> factor) {
        Object value = parsed.get(factor.name());
        if (value == null) {
            value = factor.parse(level(factor));
            parsed.put(factor.name(), value);
        }
        return (T) value;
    }

    /**
     * The level of a factor as studies write it, or its default.
     *
     * @throws IllegalArgumentException if the factor has no level here and no default
     */
    public String level(Factor<?> factor) {
        return levels.find(factor)
                .or(factor::defaultLevel)
                .orElseThrow(() ->
                        new IllegalArgumentException("factor '" + factor.name() + "' has no level and no default"));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Design design && design.levels.equals(levels);
    }

    @Override
    public int hashCode() {
        return levels.hashCode();
    }

    @Override
    public String toString() {
        return levels.toString();
    }
}
