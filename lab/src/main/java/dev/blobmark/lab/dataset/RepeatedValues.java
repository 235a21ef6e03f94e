package dev.blobmark.lab.dataset;

import dev.blobmark.mysql.table.Whole;
import java.util.Objects;
import java.util.Optional;

/** A given number of values from another set: all of them repeatedly, or a part at equal distances. */
final class RepeatedValues extends DigestedValues {

    private final Values values;
    private final int count;

    RepeatedValues(Values values, int count) {
        this.values = values;
        this.count = count;
    }

    private int original(int index) {
        Objects.checkIndex(index, count);
        int originals = values.count();
        return count < originals ? (int) ((long) index * originals / count) : index % originals;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public int length(int index) {
        return values.length(original(index));
    }

    @Override
    public byte[] get(int index) {
        return values.get(original(index));
    }

    @Override
    public Optional<Whole> whole() {
        return values.whole();
    }

    @Override
    public String name(int index) {
        return values.name(original(index));
    }
}
