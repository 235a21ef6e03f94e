package dev.blobmark.fleet.host;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Serializable;

/**
 * A column of files to look at.
 *
 * @param path of a file or directory, or several as Spark takes them
 * @param format of Spark: {@code parquet}, {@code orc}, {@code json}, {@code avro}, {@code delta}
 * @param column name; fields of structures are separated by dots
 * @param sampled distinct values of each size class to take at most
 * @param sampledBytes of values of each size class to take at most; three values are taken in any case
 */
public record LakeRequest(String path, String format, String column, int sampled, long sampledBytes)
        implements Serializable {

    public void write(DataOutput out) throws IOException {
        out.writeUTF(path);
        out.writeUTF(format);
        out.writeUTF(column);
        out.writeInt(sampled);
        out.writeLong(sampledBytes);
    }

    static LakeRequest read(DataInput in) throws IOException {
        return new LakeRequest(in.readUTF(), in.readUTF(), in.readUTF(), in.readInt(), in.readLong());
    }
}
