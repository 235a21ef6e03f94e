package dev.blobmark.fleet.host;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Serializable;

/**
 * Where hosts find Blobmark, and how they know it. It has no secret: a host is admitted by its own {@link HostKey}.
 *
 * @param host name or number
 * @param certificate of Blobmark, encoded with DER
 */
public record Address(String host, int port, byte[] certificate) implements Serializable {

    public void write(DataOutput out) throws IOException {
        out.writeUTF(host);
        out.writeInt(port);
        out.writeInt(certificate.length);
        out.write(certificate);
    }

    static Address read(DataInput in) throws IOException {
        String host = in.readUTF();
        int port = in.readInt();
        byte[] certificate = new byte[in.readInt()];
        in.readFully(certificate);
        return new Address(host, port, certificate);
    }
}
