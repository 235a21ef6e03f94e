package dev.blobmark.fleet.host;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Serializable;

/**
 * How many values of each size class a sketch keeps.
 *
 * @param values distinct values at most
 * @param bytes of them at most; three values are kept in any case
 */
public record SampleSize(int values, long bytes) implements Serializable {

    void write(DataOutput out) throws IOException {
        out.writeInt(values);
        out.writeLong(bytes);
    }

    static SampleSize read(DataInput in) throws IOException {
        return new SampleSize(in.readInt(), in.readLong());
    }
}
