package dev.blobmark.lab.link;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Offers a {@link Link} to programs that take no sockets of ours: a relay of TCP connections, all of which share it. It has two threads
 * for each connection, and so takes CPU time that the client's own sockets would not.
 */
public final class LinkProxy implements AutoCloseable {

    private static final int BUFFER_BYTES = 64 << 10;
    private static final int CONNECT_MILLIS = 10_000;
    private static final int BACKLOG = 128;
    private static final long PAUSE_NANOS = 10_000_000;

    private final SharedLink link;
    private final InetSocketAddress to;
    private final ServerSocket listening;
    private final Set<Relay> relays = ConcurrentHashMap.newKeySet();
    private final AtomicInteger refused = new AtomicInteger();
    private final LongAdder bytesDown = new LongAdder();
    private final LongAdder bytesUp = new LongAdder();

    /**
     * @param listen where clients connect to; port 0 for any that is free
     * @param to where it relays to; resolved for each connection anew if it is not
     * @throws IOException if it cannot listen there
     */
    public LinkProxy(Link link, InetSocketAddress listen, InetSocketAddress to) throws IOException {
        this.link = SharedLink.of(link);
        this.to = to;
        listening = new ServerSocket();
        try {
            listening.bind(listen, BACKLOG);
        } catch (IOException e) {
            listening.close();
            throw e;
        }
        start("link-proxy", this::accept);
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    /** Connections that are open now. */
    public int connections() {
        return relays.size();
    }

    /** Connections that were ended because there is nobody to relay to. */
    public int refused() {
        return refused.get();
    }

    /** From the server to its clients so far. */
    public long bytesDown() {
        return bytesDown.sum();
    }

    /** To the server so far. */
    public long bytesUp() {
        return bytesUp.sum();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                start("link-connect", () -> connect(client));
            } catch (IOException e) {
                // closed; or there are no more files, and some may be free soon
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void connect(Socket client) {
        Socket server = new Socket();
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(new InetSocketAddress(to.getHostString(), to.getPort()), CONNECT_MILLIS);
            Relay relay = new Relay(client, server);
            relays.add(relay);
            relay.run();
        } catch (IOException e) {
            refused.incrementAndGet();
            closeBoth(client, server);
        }
    }

    private static void closeBoth(Socket client, Socket server) {
        for (Socket socket : new Socket[] {client, server}) {
            try {
                socket.close();
            } catch (IOException e) {
                // it is gone
            }
        }
    }

    /** A connection on both its sides. */
    private final class Relay {

        private final Socket client;
        private final Socket server;
        private final SharedLink.Streams linked;
        private final AtomicInteger open = new AtomicInteger(2);

        Relay(Socket client, Socket server) throws IOException {
            this.client = client;
            this.server = server;
            linked = link.take(server.getInputStream(), server.getOutputStream());
        }

        /** Relays from the client on this thread, from the server on another one. */
        void run() throws IOException {
            InputStream fromClient = client.getInputStream();
            OutputStream toClient = client.getOutputStream();
            start("link-down", () -> pump(linked.in(), toClient, client, bytesDown));
            pump(fromClient, linked.out(), server, bytesUp);
        }

        private void pump(InputStream in, OutputStream out, Socket end, LongAdder bytes) {
            byte[] buffer = new byte[BUFFER_BYTES];
            try {
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    out.write(buffer, 0, count);
                    bytes.add(count);
                }
                end.shutdownOutput();
                if (open.decrementAndGet() == 0) {
                    close();
                }
            } catch (IOException e) {
                close();
            }
        }

        void close() {
            closeBoth(client, server);
            relays.remove(this);
        }
    }

    /** Ends all connections, and listens no more. */
    @Override
    public void close() throws IOException {
        listening.close();
        relays.forEach(Relay::close);
    }
}
