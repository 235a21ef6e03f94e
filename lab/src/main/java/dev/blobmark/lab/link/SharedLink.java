package dev.blobmark.lab.link;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongConsumer;

/**
 * A {@link Link} in use: one bottleneck for all connections over it, in any threads and processes.
 *
 * <p>It works inside the client's sockets, without threads. A reader that waits for the link meanwhile reads what the
 * server has sent from the kernel, up to some milliseconds ahead of the link. So the link keeps delivering while the
 * client copies and decodes. TCP's handshake and slow start, packet loss and traffic of others are not emulated.
 */
public final class SharedLink {

    private static final int DOWN = 0;
    private static final int UP = Long.BYTES;
    private static final int BYTES = 2 * Long.BYTES;

    /** The machine's own network, without emulation. */
    public static final SharedLink LOOPBACK = of(Link.LOOPBACK);

    private final Link link;
    private final RateLimiter down;
    private final RateLimiter up;
    private final Room room;

    private SharedLink(Link link, ByteBuffer state, long growthBytes) {
        this.link = link;
        room = new Room(growthBytes);
        down = new RateLimiter(state, DOWN, link.down());
        up = new RateLimiter(state, UP, link.up());
    }

    /** For the connections of this process. */
    public static SharedLink of(Link link) {
        return of(link, Long.MAX_VALUE);
    }

    /**
     * For the connections of this process.
     *
     * @param growthBytes heap that the buffers of all connections together may take beyond the initial 128 KB of each
     */
    static SharedLink of(Link link, long growthBytes) {
        return new SharedLink(link, idle(ByteBuffer.allocateDirect(BYTES)), growthBytes);
    }

    /**
     * For the connections of all processes that use the same file, which {@link #writeFile} has written.
     *
     * @throws IOException if the file cannot be mapped
     */
    public static SharedLink of(Link link, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new SharedLink(link, channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES), Long.MAX_VALUE);
        }
    }

    /** Writes a file through which processes share a link, with both directions idle. */
    public static void writeFile(Path file) throws IOException {
        byte[] state = new byte[BYTES];
        idle(ByteBuffer.wrap(state));
        Files.write(file, state);
    }

    /** Both directions idle: everything has passed at the earliest time that the clock can have. */
    private static ByteBuffer idle(ByteBuffer state) {
        state.order(ByteOrder.nativeOrder());
        return state.putLong(DOWN, Long.MIN_VALUE).putLong(UP, Long.MIN_VALUE);
    }

    public Link link() {
        return link;
    }

    /** The two streams of a connection over a link. */
    public record Streams(InputStream in, OutputStream out) {}

    /** Emulates the link for a connection's streams. */
    public Streams emulate(InputStream in, OutputStream out) {
        return emulate(in, out, nanos -> {});
    }

    /**
     * Emulates the link for a connection's streams.
     *
     * @param in a socket's stream from the server; {@link InputStream#available} bytes are read without waiting
     * @param out to the server
     * @param delayed gets the nanoseconds that the link has delayed a read or write: the time after bytes had arrived,
     *     or before the socket was given them. Called on the thread that reads or writes
     */
    public Streams emulate(InputStream in, OutputStream out, LongConsumer delayed) {
        if (!link.isEmulated()) {
            return new Streams(in, out);
        }
        RoundTrips roundTrips = new RoundTrips(link);
        return new Streams(
                new LinkedInput(in, down, roundTrips, link, room, delayed),
                new LinkedOutput(out, up, roundTrips, delayed));
    }
}
