package dev.blobmark.lab.dataset;

import dev.blobmark.mysql.table.DatasetException;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.Whole;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/**
 * The user's own values, each read on demand. A digest of each is kept from its first read; reading a value that has
 * changed since fails.
 *
 * @param <T> the location of a value
 */
abstract class OwnValues<T extends OwnValues.Located> extends DigestedValues {

    /** The most bytes that a {@code MEDIUMBLOB} holds. */
    static final int MAX_BYTES = TableColumn.MAX_BYTES;

    /** Limits the memory for the locations of values, about 200 bytes each. */
    static final int MAX_FOUND = 1_000_000;

    private static final int MAX_COUNT = 1_000;
    private static final long MAX_TOTAL_BYTES = 1L << 30;

    private final Dataset dataset;
    private final List<T> chosen;
    private final Whole whole;
    private final Map<String, Integer> skipped;
    private final AtomicReferenceArray<byte[]> firstDigests;

    /** The location and the length of a value. */
    interface Located {

        int bytes();
    }

    /**
     * All values that were found, or a random sample of at most {@value #MAX_COUNT}.
     *
     * @param skipped number of values that are left out, by reason
     */
    OwnValues(Dataset dataset, List<T> found, long seed, Comparator<T> order, Map<String, Integer> skipped) {
        this(dataset, found, sample(found, seed, order), skipped);
    }

    /** Values that are a sample already: all are taken. */
    OwnValues(Dataset dataset, List<T> sample, Map<String, Integer> skipped) {
        this(dataset, sample, List.copyOf(sample), skipped);
    }

    private OwnValues(Dataset dataset, List<T> found, List<T> chosen, Map<String, Integer> skipped) {
        this.dataset = dataset;
        this.chosen = chosen;
        whole = Whole.counted(
                found.size(), found.stream().mapToLong(Located::bytes).sum());
        Map<String, Integer> all = new TreeMap<>(skipped);
        if (chosen.size() < found.size()) {
            all.put("beyond the sample", found.size() - chosen.size());
        }
        this.skipped = Map.copyOf(all);
        firstDigests = new AtomicReferenceArray<>(chosen.size());
    }

    /** All values that were found, or if there are too many, a random sample of them. */
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
            if (total > MAX_TOTAL_BYTES) { // to continue with smaller values would distort the distribution
                break;
            }
            chosen.add(next);
        }
        chosen.sort(order);
        return List.copyOf(chosen);
    }

    /** Reads a value. One that has become longer may be truncated to one byte more than its former length. */
    abstract byte[] read(T found) throws IOException;

    @Override
    public final int count() {
        return chosen.size();
    }

    @Override
    public final int length(int index) {
        return chosen.get(index).bytes();
    }

    /** @throws DatasetException if the value cannot be read, or has changed since it was listed or first read */
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
                    "allow this user to read it, and do not change %s during a run".formatted(dataset.id()),
                    e);
        }
        byte[] digest = DigestedValues.sha256().digest(value);
        byte[] first = firstDigests.compareAndExchange(index, null, digest);
        if (value.length != found.bytes() || first != null && !MessageDigest.isEqual(first, digest)) {
            throw new DatasetException(
                    found,
                    "it has changed since it was first read",
                    "do not change %s during a run, or name a copy of it".formatted(dataset.id()));
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
