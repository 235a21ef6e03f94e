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

/** The factors of studies, which of them matter to a trial, and which levels cannot be combined. */
public final class Vocabulary {

    private final Map<String, Factor<?>> factors;
    private final List<FactorFamily> families;
    private final Function<Design, Set<String>> relevant;
    private final List<Function<Design, Optional<String>>> constraints;

    /**
     * @param factors all factors, in the order in which they are listed to users
     * @param relevant returns the names of the factors that matter to a trial; the layout does not to a codec alone
     * @param constraints each returns what is wrong with a trial's levels and what to do, or nothing
     */
    public Vocabulary(
            List<Factor<?>> factors,
            Function<Design, Set<String>> relevant,
            List<Function<Design, Optional<String>>> constraints) {
        this(factors, List.of(), relevant, constraints);
    }

    /** @param families further factors, see {@link FactorFamily} */
    public Vocabulary(
            List<Factor<?>> factors,
            List<FactorFamily> families,
            Function<Design, Set<String>> relevant,
            List<Function<Design, Optional<String>>> constraints) {
        Map<String, Factor<?>> byName = new LinkedHashMap<>();
        for (Factor<?> factor : factors) {
            if (byName.put(factor.name(), factor) != null) {
                throw new IllegalArgumentException("two factors have the name '" + factor.name() + "'");
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

    List<FactorFamily> families() {
        return families;
    }

    /** The names of all factors except those of families, in their order. */
    public Set<String> names() {
        return factors.keySet();
    }

    /** The names of the factors with this shape, except those of families. */
    public Set<String> shaping(Factor.Shape shape) {
        return factors.values().stream()
                .filter(factor -> factor.shapes().contains(shape))
                .map(Factor::name)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The names of factors, and the forms of families. */
    public List<String> words() {
        return Stream.concat(names().stream(), families.stream().map(FactorFamily::form))
                .toList();
    }

    /** The remedy for an unknown name. */
    String suggest(String name) {
        return families.stream()
                .filter(family -> name.startsWith(family.prefix()))
                .findFirst()
                .map(family -> "write " + family.form() + " with the name in lower case")
                .orElseGet(() -> Spelling.suggest(name, words()));
    }

    public Optional<Factor<?>> find(String name) {
        return Optional.<Factor<?>>ofNullable(factors.get(name))
                .or(() -> families.stream()
                        .flatMap(family -> family.find(name).stream())
                        .findFirst());
    }

    /** What is wrong with a trial's levels, and what to do. */
    public List<String> problems(Levels levels) {
        Design design = new Design(levels);
        return constraints.stream().flatMap(c -> c.apply(design).stream()).toList();
    }

    /** The names of the factors that matter to a trial with these levels, and have neither a level nor a default. */
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

    /** The levels that matter to a trial, including documented defaults and the level that marks a {@link Control}. */
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
     * A trial's id: its effective levels without documented defaults, sorted. A new factor changes no id if its default
     * is what was done before.
     */
    public String identity(Levels effective) {
        return effective
                .only(name -> !find(name).flatMap(Factor::defaultLevel).equals(effective.find(name)))
                .toString();
    }
}
