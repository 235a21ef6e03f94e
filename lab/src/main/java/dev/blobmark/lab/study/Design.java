package dev.blobmark.lab.study;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The levels of a trial, or the levels that several trials have in common, as typed values. Each level is parsed once,
 * when it is first read. Two designs are equal if their levels are equal.
 */
public final class Design {

    private final Levels levels;

    /** Values by the factor's name, each of the type that the factor parses to. */
    private final Map<String, Object> parsed = new ConcurrentHashMap<>();

    public Design(Levels levels) {
        this.levels = levels;
    }

    /** @param byFactor level by the factor's name */
    public static Design of(Map<String, String> byFactor) {
        return new Design(Levels.of(byFactor));
    }

    /** The levels as studies and files write them. */
    public Levels levels() {
        return levels;
    }

    /** The levels of the factors that a test accepts, without parsing them again. */
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
     * @throws IllegalArgumentException if the factor has no level here and no default, or if its level cannot be parsed
     */
    @SuppressWarnings("unchecked") // a value under a factor's name was parsed by that factor
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
