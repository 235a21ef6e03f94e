package dev.blobmark.lab.dataset;

import java.util.Optional;

/**
 * A dataset with fewer values, at equal distances, so that their total length is limited. Sizes and order stay
 * representative. It has the id of the whole dataset.
 *
 * @param whole the dataset
 * @param maxBytes limit of the total length; at least one value is kept
 */
public record Portion(Dataset whole, long maxBytes) implements Dataset {

    @Override
    public String id() {
        return whole.id();
    }

    @Override
    public boolean hasSize() {
        return whole.hasSize();
    }

    @Override
    public boolean isPrivate() {
        return whole.isPrivate();
    }

    @Override
    public Optional<String> nativeColumn() {
        return whole.nativeColumn();
    }

    @Override
    public Values values(int size, long seed) {
        Values values = whole.values(size, seed);
        long total = values.totalLength();
        return total <= maxBytes
                ? values
                : new RepeatedValues(values, (int) Math.max(1, values.count() * (double) maxBytes / total));
    }
}
