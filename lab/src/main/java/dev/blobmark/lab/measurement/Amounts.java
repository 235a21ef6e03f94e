package dev.blobmark.lab.measurement;

import java.util.Collections;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** What the parts of a measurement require of their components. */
public final class Amounts {

    private Amounts() {}

    /** @param field as the file names it */
    public static void requireAmount(String field, OptionalLong amount) {
        amount.ifPresent(n -> require(n >= 0, field + ": " + n + " is negative"));
    }

    /** @param field as the file names it */
    public static void requireAmount(String field, OptionalDouble amount) {
        amount.ifPresent(x -> requireAmount(field, x));
    }

    /** @param field as the file names it */
    public static void requireAmount(String field, double amount) {
        require(Double.isFinite(amount) && amount >= 0, field + ": " + amount + " is not a finite number from 0 up");
    }

    public static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException(what);
        }
    }

    public static <K, V> SortedMap<K, V> sorted(SortedMap<K, V> map) {
        return Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }
}
