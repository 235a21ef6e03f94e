package dev.blobmark.lab.study;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The factors that a study may speak of, which of them matter to a trial, and which levels exclude each other. */
public final class Vocabulary {

    private final Map<String, Factor<?>> factors;
    private final List<FactorFamily> families;
    private final Function<Design, Set<String>> relevant;
    private final List<Function<Design, Optional<String>>> constraints;

    /**
     * @param factors every factor, in the order in which people read them
     * @param relevant the names of the factors that matter to a trial with such levels: a codec alone has no layout
     * @param constraints each says what is wrong with a trial's levels and how to mend it, or nothing
     */
    public Vocabulary(
            List<Factor<?>> factors,
            Function<Design, Set<String>> relevant,
            List<Function<Design, Optional<String>>> constraints) {
        this(factors, List.of(), relevant, constraints);
    }

    /** @param families further factors, by the beginning of their names */
    public Vocabulary(
            List<Factor<?>> factors,
            List<FactorFamily> families,
            Function<Design, Set<String>> relevant,
            List<Function<Design, Optional<String>>> constraints) {
        Map<String, Factor<?>> byName = new LinkedHashMap<>();
        for (Factor<?> factor : factors) {
            if (byName.put(factor.name(), factor) != null) {
                throw new IllegalArgumentException("factor '" + factor.name() + "' is there twice");
            }
        }
        this.factors = Collections.unmodifiableMap(byName);
        this.families = List.copyOf(families);
        this.relevant = relevant;
        this.constraints = List.copyOf(constraints);
    }

    public Collection<Factor<?>> factors() {
        return factors.values();
    }

    /** The names of the factors, in their order; without those of families. */
    public Set<String> names() {
        return factors.keySet();
    }

    /** The names of the factors that shape this; without those of families. */
    public Set<String> shaping(Factor.Shape shape) {
        return factors.values().stream()
                .filter(factor -> factor.shapes().contains(shape))
                .map(Factor::name)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** What a factor may be called: names, and the forms of families. */
    public List<String> words() {
        return Stream.concat(names().stream(), families.stream().map(FactorFamily::form))
                .toList();
    }

    /** What may have been meant by a name that is no factor's. */
    String mend(String name) {
        return families.stream()
                .filter(family -> name.startsWith(family.prefix()))
                .findFirst()
                .map(family -> "write " + family.form() + " with the name in lower case")
                .orElseGet(() -> Words.mend(name, words()));
    }

    public Optional<Factor<?>> find(String name) {
        return Optional.<Factor<?>>ofNullable(factors.get(name))
                .or(() -> families.stream()
                        .flatMap(family -> family.find(name).stream())
                        .findFirst());
    }

    /** What is wrong with a trial's levels; empty where nothing is. */
    public List<String> problems(Levels levels) {
        Design design = new Design(levels);
        return constraints.stream().flatMap(c -> c.apply(design).stream()).toList();
    }

    /** The names of the factors that matter to a trial with such levels, and have neither a level nor a default. */
    public Set<String> missing(Levels levels) {
        Set<String> names = new TreeSet<>(relevant.apply(new Design(levels)));
        names.removeIf(name -> levels.find(name)
                .or(() -> find(name).flatMap(Factor::defaultLevel))
                .isPresent());
        return names;
    }

    /** These levels, and the documented defaults of all other factors. */
    public Levels withDefaults(Levels levels) {
        Map<String, String> defaults = new LinkedHashMap<>();
        factors.values()
                .forEach(factor -> factor.defaultLevel().ifPresent(level -> defaults.put(factor.name(), level)));
        return Levels.of(defaults).with(levels);
    }

    /** The levels that matter, each stated: those of the documented defaults too; and the one that marks a {@link Control}. */
    public Levels effective(Levels levels) {
        Design design = new Design(levels);
        Set<String> names = relevant.apply(design);
        Map<String, String> all = new LinkedHashMap<>();
        for (Factor<?> factor : factors.values()) {
            if (names.contains(factor.name())) {
                all.put(factor.name(), design.level(factor));
            }
        }
        levels.byFactor().forEach((name, level) -> {
            if (names.contains(name)) {
                all.putIfAbsent(name, level);
            }
        });
        levels.find(Control.LEVEL).ifPresent(level -> all.put(Control.LEVEL, level));
        return Levels.of(all);
    }

    /**
     * A trial's identity: its effective levels, less those that are the documented defaults, sorted. A factor that is
     * added later changes no identity as long as its default is what was done before.
     */
    public String identity(Levels effective) {
        return effective
                .only(name -> !find(name).flatMap(Factor::defaultLevel).equals(effective.find(name)))
                .toString();
    }
}
