package dev.blobmark.value;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Where readers find dictionaries: {@link DictionaryTable}, {@link DictionaryFiles}, or those that are given. */
@FunctionalInterface
public interface Dictionaries {

    /** None. */
    Dictionaries NONE = number -> Optional.empty();

    /**
     * The dictionary with that number. Called by readers when they first meet a number; those that were found are kept.
     *
     * @param number see {@link Dictionary#number}
     * @return empty if there is none
     */
    Optional<Dictionary> find(int number);

    /** Those that are given. */
    static Dictionaries of(Dictionary... dictionaries) {
        Map<Integer, Dictionary> byNumber =
                Arrays.stream(dictionaries).collect(Collectors.toMap(Dictionary::number, Function.identity()));
        return number -> Optional.ofNullable(byNumber.get(number));
    }
}
