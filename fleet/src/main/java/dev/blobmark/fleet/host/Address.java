package dev.blobmark.fleet.host;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Serializable;

/**
 * Where hosts find Blobmark.
 *
 * @param host name or number
 * @param token that shows that a host belongs to the run
 * @param certificate of Blobmark, encoded with DER
 */
public record Address(String host, int port, byte[] token, byte[] certificate) implements Serializable {

    public void write(DataOutput out) throws IOException {
        out.writeUTF(host);
        out.writeInt(port);
        for (byte[] bytes : new byte[][] {token, certificate}) {
            out.writeInt(bytes.length);
            out.write(bytes);
        }
    }

    static Address read(DataInput in) throws IOException {
        return new Address(in.readUTF(), in.readInt(), bytes(in), bytes(in));
    }

    private static byte[] bytes(DataInput in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }
}
