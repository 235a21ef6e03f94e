package dev.blobmark.fleet.host;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What is sent between Blobmark and a host. */
public final class Frames {

    /** Orders over a host's connection: answer with the time. */
    public static final byte PING = 1;

    /** Start a process: a {@link Start} follows. */
    public static final byte START = 2;

    /** End the task, and its processes. */
    public static final byte END = 3;

    /** Frames of a process's connection, in both directions: no more lines follow, but exit code and errors. */
    public static final byte CLOSED = 0;

    /** A line follows. */
    public static final byte LINE = 1;

    /** To a process: a file of values follows, with its name, its length and its content. */
    public static final byte FILE = 2;

    private Frames() {}

    /**
     * A process to start.
     *
     * @param main class
     * @param flags of the JVM
     */
    public record Start(int id, String main, List<String> flags) {

        public void write(DataOutputStream out) throws IOException {
            out.writeByte(START);
            out.writeInt(id);
            out.writeUTF(main);
            out.writeInt(flags.size());
            for (String flag : flags) {
                out.writeUTF(flag);
            }
            out.flush();
        }

        static Start read(DataInputStream in) throws IOException {
            int id = in.readInt();
            String main = in.readUTF();
            List<String> flags = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                flags.add(in.readUTF());
            }
            return new Start(id, main, flags);
        }
    }

    public static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    public static byte[] readBytes(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }
}
