package dev.blobmark.fleet.host;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * A column of files.
 *
 * @param path of a file or directory, or several as Spark takes them
 * @param format of Spark: {@code parquet}, {@code orc}, {@code json}, {@code avro}, {@code delta}
 * @param column name; fields of structures are separated by dots
 */
public record FilesRequest(String path, String format, String column, SampleSize size) implements ScanRequest {

    static final byte KIND = 1;

    @Override
    public void write(DataOutput out) throws IOException {
        out.writeByte(KIND);
        out.writeUTF(path);
        out.writeUTF(format);
        out.writeUTF(column);
        size.write(out);
    }

    static FilesRequest readFrom(DataInput in) throws IOException {
        return new FilesRequest(in.readUTF(), in.readUTF(), in.readUTF(), SampleSize.read(in));
    }
}
