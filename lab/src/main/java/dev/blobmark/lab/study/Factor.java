package dev.blobmark.lab.study;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * A named dimension of a method or a condition.
 *
 * @param <T> what a level means to the code that uses it
 * @param name as written in a study, for example {@code wire-compression}
 * @param home where a study states it unless it says otherwise
 * @param shapes what is made anew where its level is another; nothing where it only matters while a trial is measured
 * @param needs what a trial must all use for the factor to matter to it; nothing where it matters to every trial
 * @param description one line for people
 * @param levels words or patterns a level may be, for help texts and for finding the nearest valid word
 * @param defaultLevel the documented default, canonical; a factor without one must be stated
 * @param parser makes sense of a level; throws {@link IllegalArgumentException} with reason and mend
 * @param canonical writes a level the one way in which trials are identified
 * @param expander makes the levels out of a shorthand such as {@code 1KB..96KB by 5KB}; throws as the parser does
 */
public record Factor<T>(
        String name,
        Home home,
        Set<Shape> shapes,
        Set<Use> needs,
        String description,
        List<String> levels,
        Optional<String> defaultLevel,
        Function<String, T> parser,
        Function<T, String> canonical,
        Function<String, List<String>> expander) {

    /** Whether the user chooses the factor or is given it. */
    public enum Home {
        METHOD,
        CONDITION
    }

    /** What a level may decide beyond the operations that are measured. */
    public enum Shape {
        /** What lies in a table, or in a set: trials that differ in it have tables of their own. */
        STORE,
        /** Which code of client and driver an operation runs through: the first trial of each kind is run in. */
        CODE_PATH,
        /** How the server is started: trials that differ in it are in blocks of their own. */
        SERVER
    }

    /** What a trial does, or works with, by its workload, dataset, store and client. */
    public enum Use {
        /** It works on a store, and not on values in memory alone. */
        STORE,
        /** It encodes or decodes values. */
        VALUES,
        /** Its dataset has values of any size. */
        SIZED,
        /** It works on a set of keys. */
        SET,
        /** It reads what is in the store. */
        READ,
        /** It changes what is in the store. */
        WRITE,
        /** It adds rows. */
        INSERT,
        /** An operation may work on several rows or keys. */
        BATCH,
        /** Operations may arrive at a rate. */
        RATE,
        /** Its windows may begin with nothing of the table in the buffer pool. */
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
        /** A cluster keeps a part of its values in another table. */
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
        this(name, home, shapes, needs, description, levels, defaultLevel, parser, canonical, List::of);
    }

    public Factor {
        Objects.requireNonNull(home, "home");
        shapes = Set.copyOf(shapes);
        needs = Set.copyOf(needs);
        levels = List.copyOf(levels);
        if (!name.matches("[a-z][a-z0-9._-]*")) {
            throw new IllegalArgumentException("factor name '" + name + "' is not lower case with dashes");
        }
        defaultLevel.ifPresent(level -> {
            if (!canonical.apply(parser.apply(level)).equals(level)) {
                throw new IllegalArgumentException(name + ": default '" + level + "' is not canonical");
            }
        });
    }

    /** Whether it matters to a trial that uses all this. */
    public boolean mattersTo(Set<Use> uses) {
        return uses.containsAll(needs);
    }

    /** The level as the code understands it. */
    public T parse(String level) {
        return parser.apply(level);
    }

    /** The one way to write a level: {@code gzip} becomes {@code gzip:6}, {@code 65536} becomes {@code 64KB}. */
    public String canonical(String level) {
        return canonical.apply(parser.apply(level));
    }

    /** The canonical levels that a text stands for: one, or those of a shorthand, each once. */
    public List<String> expand(String text) {
        return expander.apply(text).stream().map(this::canonical).distinct().toList();
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
                                "unknown " + name + " '" + level + "'; " + Words.mend(level, words))),
                word);
    }
}
