package dev.blobmark.value;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Where readers find dictionaries: {@link LoadedDictionaries} of a {@link DictionaryTable}, {@link DictionaryFiles}, or
 * those that are given.
 */
@FunctionalInterface
public interface Dictionaries {

    /** None. */
    Dictionaries NONE = of();

    /**
     * The dictionary with that number. Readers call it while they decode, on the thread of a request that may hold a
     * connection: it must not wait for one. Those that were found are kept.
     *
     * @param number see {@link ValueDictionary#number}
     * @return empty if there is none
     */
    Optional<ValueDictionary> find(int number);

    /**
     * Called for each value that was decoded with a dictionary, on the thread of the request; it must not wait. By
     * this, {@link LoadedDictionaries} notice that a deleted dictionary is needed. So whoever passes {@link #find} on
     * passes this on too, and a lambda cannot: see {@link #all}.
     *
     * @param number of a dictionary that was found
     */
    default void onUse(int number) {}

    /** Numbers of those that are surely found, as a reader announces them. */
    default Set<Integer> numbers() {
        return Set.of();
    }

    /**
     * Looks for new dictionaries now. May wait for a connection; it is not called while values are encoded or decoded.
     *
     * @throws DictionaryException if they cannot be read
     */
    default void reload() {}

    /** Whether nothing must be encoded with this dictionary any more, or this cannot be known. */
    default boolean isWithdrawn(int number) {
        return false;
    }

    /**
     * Those of several places, such as of the tables of two schemas.
     *
     * @param dictionaries each hears of the dictionaries that are used. One is withdrawn if it is in any of the places
     *     that have it. Different ones of the same number are a {@link DictionaryException} when it is looked for.
     */
    static Dictionaries all(Dictionaries... dictionaries) {
        return new AllDictionaries(List.of(dictionaries));
    }

    /**
     * Those that are given.
     *
     * @throws IllegalArgumentException if two of them have the same number, as when one is given twice
     */
    static Dictionaries of(ValueDictionary... dictionaries) {
        Map<Integer, ValueDictionary> byNumber = Arrays.stream(dictionaries)
                .collect(Collectors.toUnmodifiableMap(ValueDictionary::number, Function.identity(), (one, other) -> {
                    throw new IllegalArgumentException("the number " + ValueDictionary.name(one.number())
                            + " is that of two dictionaries: " + one + " and " + other);
                }));
        return new Dictionaries() {
            @Override
            public Optional<ValueDictionary> find(int number) {
                return Optional.ofNullable(byNumber.get(number));
            }

            @Override
            public Set<Integer> numbers() {
                return byNumber.keySet();
            }
        };
    }
}
