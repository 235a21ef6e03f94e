package dev.blobmark.lab.study;

import java.util.Optional;
import java.util.function.Function;

/**
 * Factors with a common prefix that are too many to list, such as {@code server.} and the name of any server variable.
 * Such a factor has no default, and matters to a trial only if it is stated.
 *
 * @param prefix the beginning of all names
 * @param form the form of a name, for help texts: {@code server.NAME}
 * @param description one line for help texts
 * @param members returns the factor of a full name; an invalid name is reported when a level of the factor is parsed
 */
public record FactorFamily(String prefix, String form, String description, Function<String, Factor<?>> members) {

    public boolean has(String name) {
        return name.startsWith(prefix) && name.substring(prefix.length()).matches("[a-z][a-z0-9_]*");
    }

    Optional<Factor<?>> find(String name) {
        return has(name) ? Optional.of(members.apply(name)) : Optional.empty();
    }
}
