package dev.blobmark.value;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Those of several places. */
final class AllDictionaries implements Dictionaries {

    private static final long REMEMBERED_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final List<Dictionaries> all;

    /** Looking for one that is missing may cost something, such as a file that is read. */
    private final Map<Integer, PlacedDictionary> places = new ConcurrentHashMap<>();

    private record PlacedDictionary(long atNanos, List<Dictionaries> places) {}

    AllDictionaries(List<Dictionaries> all) {
        this.all = all;
    }

    /** @throws DictionaryException if two places have different ones of that number: either may be the right one */
    @Override
    public Optional<ValueDictionary> find(int number) {
        return all.stream()
                .map(each -> each.find(number))
                .flatMap(Optional::stream)
                .reduce(AllDictionaries::same);
    }

    private static ValueDictionary same(ValueDictionary one, ValueDictionary other) {
        if (!Arrays.equals(one.sha256(), other.sha256())) {
            throw new DictionaryException("several places have different dictionaries of the number "
                    + ValueDictionary.name(one.number()) + ": " + one + " and " + other);
        }
        return one;
    }

    /** The same dictionary may be in several tables, and deleted in one of them. */
    @Override
    public void onUse(int number) {
        for (Dictionaries each : all) {
            each.onUse(number);
        }
    }

    @Override
    public Set<Integer> numbers() {
        Set<Integer> numbers = new HashSet<>();
        all.forEach(each -> numbers.addAll(each.numbers()));
        return numbers;
    }

    /** One that fails does not keep others from it. */
    @Override
    public void reload() {
        RuntimeException failed = null;
        for (Dictionaries each : all) {
            try {
                each.reload();
            } catch (RuntimeException e) {
                if (failed == null) {
                    failed = e;
                } else {
                    failed.addSuppressed(e);
                }
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    /** It is not known in which of its places readers look for it. */
    @Override
    public boolean isWithdrawn(int number) {
        List<Dictionaries> having = having(number);
        return having.isEmpty() || having.stream().anyMatch(each -> each.isWithdrawn(number));
    }

    private List<Dictionaries> having(int number) {
        PlacedDictionary known = places.get(number);
        if (known == null || System.nanoTime() - known.atNanos() > REMEMBERED_NANOS) {
            known = new PlacedDictionary(
                    System.nanoTime(),
                    all.stream().filter(each -> each.find(number).isPresent()).toList());
            if (!known.places().isEmpty()) {
                places.put(number, known);
            }
        }
        return known.places();
    }
}
