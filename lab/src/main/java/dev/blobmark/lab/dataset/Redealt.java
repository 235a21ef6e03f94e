package dev.blobmark.lab.dataset;

import java.util.Objects;

/** So many values dealt from others: each of them in turn, again and again; of more than are wanted, some at even distances. */
final class Redealt extends DigestedValues {

    private final Values values;
    private final int count;

    Redealt(Values values, int count) {
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
}
