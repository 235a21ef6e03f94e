package dev.blobmark.fleet.host;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Parts of a table, which are read by one statement each. Executors get what they need to connect to the server from
 * Blobmark, each by its own key.
 *
 * @param driverJar the MariaDB driver, on the machine of Spark's driver
 * @param blobmark has the login
 * @param scan number of the login
 */
public record TableRequest(String driverJar, Address blobmark, int scan, List<RequestedPart> parts, SampleSize size)
        implements ScanRequest {

    static final byte KIND = 2;

    /**
     * @param sql has two columns: the length of a value, and the value; this is NULL where it is too long
     * @param parameters numbers, texts and bytes
     */
    public record RequestedPart(String sql, List<Object> parameters) implements Serializable {}

    @Override
    public void write(DataOutput out) throws IOException {
        out.writeByte(KIND);
        out.writeUTF(driverJar);
        blobmark.write(out);
        out.writeInt(scan);
        out.writeInt(parts.size());
        for (RequestedPart part : parts) {
            write(out, part.sql().getBytes(StandardCharsets.UTF_8));
            out.writeInt(part.parameters().size());
            for (Object parameter : part.parameters()) {
                write(out, parameter);
            }
        }
        size.write(out);
    }

    static TableRequest readFrom(DataInput in) throws IOException {
        String driverJar = in.readUTF();
        Address blobmark = Address.read(in);
        int scan = in.readInt();
        List<RequestedPart> parts = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            String sql = new String(bytes(in), StandardCharsets.UTF_8);
            List<Object> parameters = new ArrayList<>();
            for (int more = in.readInt(); more > 0; more--) {
                parameters.add(parameter(in));
            }
            parts.add(new RequestedPart(sql, parameters));
        }
        return new TableRequest(driverJar, blobmark, scan, parts, SampleSize.read(in));
    }

    private static void write(DataOutput out, Object parameter) throws IOException {
        if (parameter instanceof byte[] bytes) {
            out.writeByte('b');
            write(out, bytes);
        } else if (parameter instanceof String text) {
            out.writeByte('t');
            write(out, text.getBytes(StandardCharsets.UTF_8));
        } else if (parameter instanceof Integer || parameter instanceof Long) {
            out.writeByte('l');
            write(out, parameter.toString().getBytes(StandardCharsets.US_ASCII));
        } else if (parameter instanceof BigInteger || parameter instanceof BigDecimal) {
            out.writeByte('d');
            write(out, parameter.toString().getBytes(StandardCharsets.US_ASCII));
        } else {
            throw new IOException(
                    "a parameter of the type " + parameter.getClass().getName());
        }
    }

    private static Object parameter(DataInput in) throws IOException {
        byte kind = in.readByte();
        byte[] bytes = bytes(in);
        return switch (kind) {
            case 'b' -> bytes;
            case 't' -> new String(bytes, StandardCharsets.UTF_8);
            case 'l' -> Long.valueOf(new String(bytes, StandardCharsets.US_ASCII));
            case 'd' -> new BigDecimal(new String(bytes, StandardCharsets.US_ASCII));
            default -> throw new IOException("a parameter of the unknown kind " + kind);
        };
    }

    private static void write(DataOutput out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] bytes(DataInput in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }
}
