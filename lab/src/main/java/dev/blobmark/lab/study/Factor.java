package dev.blobmark.lab.study;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A named dimension of a method or a condition.
 *
 * @param <T> type of a parsed level
 * @param name as written in a study, for example {@code wire-compression}
 * @param home where a study usually states it
 * @param shapes what must be created again for another level; empty if the factor matters only during measurement
 * @param needs what a trial must use, all of it, for the factor to matter to it; empty if it matters to every trial
 * @param description one line for help texts
 * @param levels words or patterns of levels, for help texts and for suggestions
 * @param defaultLevel the documented default, canonical; a factor without one must be stated
 */
public record Factor<T>(
        String name,
        Home home,
        Set<Shape> shapes,
        Set<Use> needs,
        String description,
        List<String> levels,
        Optional<String> defaultLevel,
        Syntax<T> syntax) {

    /**
     * How levels are written.
     *
     * @param parser parses a level; throws {@link IllegalArgumentException} with the reason and the remedy
     * @param canonical writes a level in the one form that identifies trials
     * @param expander expands a shorthand such as {@code 1KB..96KB by 5KB} into levels; throws like the parser
     * @param form regular expression for the text of a level or shorthand, in the syntax that Java and JSON Schema
     *     share; matches all that the parser accepts, and may match more
     */
    public record Syntax<T>(
            Function<String, T> parser,
            Function<T, String> canonical,
            Function<String, List<String>> expander,
            String form) {}

    /** The form of whole numbers. */
    public static final String WHOLE = "\\+?[0-9]+";

    /** The form of levels that only the parser can judge. */
    private static final String ANY = ".+";

    /** Whether the user chooses the level of a factor, or it is given by the circumstances. */
    public enum Home {
        METHOD,
        CONDITION
    }

    /** What a level may decide besides the measured operations. */
    public enum Shape {
        /** The content of a table or a set. Trials with different levels have different tables. */
        STORE,
        /** The code of client and driver that an operation executes. The first trial of each code path has a run-in. */
        CODE_PATH,
        /** How the server is started. Trials with different levels are in different blocks. */
        SERVER
    }

    /** What a trial uses or does. It follows from the trial's workload, dataset, store and client. */
    public enum Use {
        /** It uses a store, not only values in memory. */
        STORE,
        /** It encodes or decodes values. */
        VALUES,
        /** Its dataset can make values of any size. */
        SIZED,
        /** Its store is a set of keys. */
        SET,
        /** It reads from the store. */
        READ,
        /** It writes to the store. */
        WRITE,
        /** It adds rows. */
        INSERT,
        /** An operation can have several rows or keys. */
        BATCH,
        /** Operations can start at a given rate. */
        RATE,
        /** Its windows can begin with a cold buffer pool. */
        COLD,
        /** A thread waits for each operation. */
        BLOCKING,
        /** Its client speaks SQL. */
        SQL,
        /** Its store is in MySQL or MariaDB. */
        MYSQL,
        /** Its store is in PostgreSQL. */
        POSTGRES,
        /** Its store is a set in Redis. */
        REDIS,
        /** Its store is a table in the data nodes of a cluster. */
        CLUSTER,
        /** A cluster stores a part of its values in a parts table. */
        PARTS
    }

    /** A factor without a shorthand. */
    public Factor(
            String name,
            Home home,
            Set<Shape> shapes,
            Set<Use> needs,
            String description,
            List<String> levels,
            Optional<String> defaultLevel,
            Function<String, T> parser,
            Function<T, String> canonical) {
        this(
                name,
                home,
                shapes,
                needs,
                description,
                levels,
                defaultLevel,
                new Syntax<>(parser, canonical, List::of, ANY));
    }

    /** The same with a form of its levels. */
    public Factor<T> withForm(String form) {
        return with(new Syntax<>(syntax.parser, syntax.canonical, syntax.expander, form));
    }

    private Factor<T> with(Syntax<T> other) {
        return new Factor<>(name, home, shapes, needs, description, levels, defaultLevel, other);
    }

    /** A regular expression for the text of a level or shorthand. */
    public String form() {
        return syntax.form;
    }

    /** Whether {@link #levels} has all levels, each a word. */
    public boolean isOfWords() {
        return syntax.form.equals(alternatives(levels));
    }

    /** A regular expression for any of these words. */
    public static String alternatives(List<String> words) {
        return words.stream()
                .map(word -> word.replaceAll("[.+*?()\\[\\]{}|^$\\\\]", "\\\\$0"))
                .collect(Collectors.joining("|"));
    }

    public Factor {
        Objects.requireNonNull(home, "home");
        shapes = Set.copyOf(shapes);
        needs = Set.copyOf(needs);
        levels = List.copyOf(levels);
        if (!name.matches("[a-z][a-z0-9._-]*")) {
            throw new IllegalArgumentException(
                    "the factor's name '" + name + "' has other characters than lower-case letters, digits and ._-");
        }
        defaultLevel.ifPresent(level -> {
            if (!syntax.canonical.apply(syntax.parser.apply(level)).equals(level)) {
                throw new IllegalArgumentException(name + ": default '" + level + "' is not canonical");
            }
        });
    }

    /** Whether the factor matters to a trial with these uses. */
    public boolean mattersTo(Set<Use> uses) {
        return uses.containsAll(needs);
    }

    public T parse(String level) {
        return syntax.parser.apply(level);
    }

    /** The canonical form of a level: {@code gzip} becomes {@code gzip:6}, {@code 65536} becomes {@code 64KB}. */
    public String canonical(String level) {
        return syntax.canonical.apply(syntax.parser.apply(level));
    }

    /** The canonical levels that a text stands for: one, or those of a shorthand without duplicates. */
    public List<String> expand(String text) {
        return syntax.expander.apply(text).stream()
                .map(this::canonical)
                .distinct()
                .toList();
    }

    /** A factor whose levels are a few words, the first of them the documented default. */
    public static <T> Factor<T> ofWords(
            String name,
            Home home,
            Set<Shape> shapes,
            Set<Use> needs,
            String description,
            List<T> values,
            Function<T, String> word) {
        List<String> words = values.stream().map(word).toList();
        return new Factor<>(
                        name,
                        home,
                        shapes,
                        needs,
                        description,
                        words,
                        Optional.of(words.get(0)),
                        level -> values.stream()
                                .filter(value -> word.apply(value).equals(level))
                                .findFirst()
                                .orElseThrow(() -> new IllegalArgumentException(
                                        "unknown " + name + " '" + level + "'; " + Spelling.suggest(level, words))),
                        word)
                .withForm(alternatives(words));
    }
}
