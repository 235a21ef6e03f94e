package dev.blobmark.lab.study;

import java.util.Optional;
import java.util.function.Function;

/**
 * Factors that are too many to list: {@code server.} and the name of any server variable. None of them has a default, and one
 * matters to a trial only where it is stated.
 *
 * @param prefix what the names of all of them begin with
 * @param form how one is written, for people: {@code server.NAME}
 * @param description one line for people
 * @param members the factor of a whole name; what is wrong with a name in lower case is told when a
 *     level of it is read
 */
public record FactorFamily(String prefix, String form, String description, Function<String, Factor<?>> members) {

    public boolean has(String name) {
        return name.startsWith(prefix) && name.substring(prefix.length()).matches("[a-z][a-z0-9_]*");
    }

    Optional<Factor<?>> find(String name) {
        return has(name) ? Optional.of(members.apply(name)) : Optional.empty();
    }
}
