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
 * A {@link Link} in use: one bottleneck for all connections over it, whichever threads and processes they belong to.
 *
 * <p>It is part of the client's sockets and has no thread of its own. While a reader waits, what the server sends is read from the kernel as
 * it arrives, some milliseconds ahead of the link. So the link keeps delivering while the client copies and decodes. The handshake and slow
 * start of TCP, loss, and the traffic of others are not emulated.
 */
public final class SharedLink {

    private static final int DOWN = 0;
    private static final int UP = Long.BYTES;
    private static final int BYTES = 2 * Long.BYTES;

    /** The machine's own network. */
    public static final SharedLink LOOPBACK = of(Link.LOOPBACK);

    private final Link link;
    private final RateLimiter down;
    private final RateLimiter up;
    private final Room room;

    private SharedLink(Link link, ByteBuffer lanes, long growthBytes) {
        this.link = link;
        room = new Room(growthBytes);
        down = new RateLimiter(lanes, DOWN, link.down());
        up = new RateLimiter(lanes, UP, link.up());
    }

    /** For the connections of this process. */
    public static SharedLink of(Link link) {
        return of(link, Long.MAX_VALUE);
    }

    /**
     * For the connections of this process.
     *
     * @param growthBytes heap by which the buffers of all of them may grow beyond the first 128 KB of each
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

    /** Writes a file through which processes share a link. Both directions begin idle. */
    public static void writeFile(Path file) throws IOException {
        byte[] lanes = new byte[BYTES];
        idle(ByteBuffer.wrap(lanes));
        Files.write(file, lanes);
    }

    /** A time long ago, whatever the clock's origin is. */
    private static ByteBuffer idle(ByteBuffer lanes) {
        lanes.order(ByteOrder.nativeOrder());
        return lanes.putLong(DOWN, Long.MIN_VALUE).putLong(UP, Long.MIN_VALUE);
    }

    public Link link() {
        return link;
    }

    /** Both streams of a connection over a link. */
    public record Streams(InputStream in, OutputStream out) {}

    /** Takes a connection over the link. */
    public Streams take(InputStream in, OutputStream out) {
        return take(in, out, nanos -> {});
    }

    /**
     * Takes a connection over the link.
     *
     * @param in a socket's stream from the server; what is {@link InputStream#available} is read without waiting
     * @param out to the server
     * @param held receives how many nanoseconds the link has delayed a read or write: bytes had arrived, or the socket would have
     *     accepted them; called on the thread that reads or writes
     */
    public Streams take(InputStream in, OutputStream out, LongConsumer held) {
        if (!link.isEmulated()) {
            return new Streams(in, out);
        }
        RoundTrips flights = new RoundTrips(link);
        return new Streams(
                new LinkedInput(in, down, flights, link, room, held), new LinkedOutput(out, up, flights, held));
    }
}
