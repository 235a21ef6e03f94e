package dev.blobmark.fleet.host;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;

/** A column, or a part of one, all of whose values the executors read. */
public sealed interface ScanRequest extends Serializable permits FilesRequest, TableRequest {

    default void write(DataOutput out) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(bytes)) {
            objects.writeObject(this);
        }
        out.writeInt(bytes.size());
        out.write(bytes.toByteArray());
    }

    static ScanRequest read(DataInput in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        try (ObjectInputStream objects = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return (ScanRequest) objects.readObject();
        } catch (ClassNotFoundException e) {
            throw new IOException(e);
        }
    }
}
