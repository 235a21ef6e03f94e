package dev.blobmark.lab.dataset;

import java.io.IOException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/**
 * A user's own values, each read when it is asked for. What each held when it was first read is remembered, and one that has
 * changed since is refused.
 *
 * @param <T> where a value is found
 */
abstract class OwnValues<T extends OwnValues.Located> extends DigestedValues {

    /** What a {@code MEDIUMBLOB} holds at most, in bytes. */
    static final int MAX_BYTES = (1 << 24) - 1;

    /** Bounds the memory that looking for values may take: about 200 bytes each. */
    static final int MAX_FOUND = 1_000_000;

    static final int MAX_COUNT = 1_000;
    private static final long MAX_TOTAL_BYTES = 1L << 30;

    private final Dataset dataset;
    private final List<T> chosen;
    private final Whole whole;
    private final Map<String, Integer> skipped;
    private final AtomicReferenceArray<byte[]> firstDigests;

    /** Where a value is found, and how long it is. */
    interface Located {

        int bytes();
    }

    /** @param skipped what is left out, by reason; a sample adds to it */
    OwnValues(Dataset dataset, List<T> found, long seed, Comparator<T> order, Map<String, Integer> skipped) {
        this.dataset = dataset;
        chosen = sample(found, seed, order);
        whole = Whole.counted(
                found.size(), found.stream().mapToLong(Located::bytes).sum());
        if (chosen.size() < found.size()) {
            skipped.put("beyond the sample", found.size() - chosen.size());
        }
        this.skipped = Map.copyOf(skipped);
        firstDigests = new AtomicReferenceArray<>(chosen.size());
    }

    /** All that were found; of too many a sample drawn with the seed, in their order. */
    private static <T extends Located> List<T> sample(List<T> found, long seed, Comparator<T> order) {
        if (found.size() <= MAX_COUNT
                && found.stream().mapToLong(Located::bytes).sum() <= MAX_TOTAL_BYTES) {
            return List.copyOf(found);
        }
        UniformRandomProvider random = RandomSource.XO_RO_SHI_RO_128_PP.create(new long[] {seed, found.size()});
        List<T> rest = new ArrayList<>(found);
        List<T> chosen = new ArrayList<>();
        long total = 0;
        while (chosen.size() < MAX_COUNT && !rest.isEmpty()) {
            int last = rest.size() - 1;
            T next = rest.set((int) Long.remainderUnsigned(random.nextLong(), rest.size()), rest.get(last));
            rest.remove(last);
            total += next.bytes();
            if (total > MAX_TOTAL_BYTES) { // to go on with smaller ones would bend the distribution
                break;
            }
            chosen.add(next);
        }
        chosen.sort(order);
        return List.copyOf(chosen);
    }

    /** Reads a value; one that has become longer may be cut a byte behind its end. */
    abstract byte[] read(T found) throws IOException;

    @Override
    public final int count() {
        return chosen.size();
    }

    @Override
    public final int length(int index) {
        return chosen.get(index).bytes();
    }

    /** @throws DatasetException if the value cannot be read, or is not what it was when listed or first read */
    @Override
    public final byte[] get(int index) {
        T found = chosen.get(index);
        byte[] value;
        try {
            value = read(found);
        } catch (IOException e) {
            throw new DatasetException(
                    found,
                    "it cannot be read (%s)".formatted(e),
                    "allow this user to read it, and leave %s alone during a run".formatted(dataset.id()),
                    e);
        }
        byte[] digest = DigestedValues.sha256().digest(value);
        byte[] first = firstDigests.compareAndExchange(index, null, digest);
        if (value.length != found.bytes() || first != null && !MessageDigest.isEqual(first, digest)) {
            throw new DatasetException(
                    found,
                    "it has changed since it was first looked at",
                    "leave %s alone during a run, or name a copy of it".formatted(dataset.id()));
        }
        return value;
    }

    @Override
    public Optional<Whole> whole() {
        return Optional.of(whole);
    }

    @Override
    public String name(int index) {
        return chosen.get(index).toString();
    }

    @Override
    public final SizeDistribution sizes() {
        return SizeDistribution.of(chosen.stream().mapToInt(Located::bytes).toArray(), skipped);
    }
}
