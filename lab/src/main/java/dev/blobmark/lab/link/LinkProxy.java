package dev.blobmark.lab.link;

import dev.blobmark.lab.machine.LoopbackClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import jdk.net.ExtendedSocketOptions;

/**
 * Offers a {@link Link} to programs that cannot use our sockets: a relay of TCP connections, which share the link. It
 * has two threads for each connection, which take CPU time that the link inside a client's sockets does not.
 *
 * <p>Connections beyond the limit are closed before anything is allocated for them: as soon as they are accepted, or,
 * where only those of this user are relayed, as soon as it is known whose they are; up to 256 wait for that. Any
 * failure of a connection, including an {@link Error}, closes both sides and releases its resources.
 *
 * <p>It relays to one server only. On the loopback interface, where every user of the machine can connect, it serves
 * {@link Clients} of this process's user unless all are wanted.
 */
public final class LinkProxy implements AutoCloseable {

    /** Largest buffer of a connection in one direction; the initial size is {@link #MIN_BUFFER}. */
    static final int MAX_BUFFER = 64 << 10;

    private static final int MIN_BUFFER = 8 << 10;

    private static final int CONNECT_MILLIS = 10_000;

    /**
     * More than the default limit of connections, so that a refused client is closed at once, and not after it has
     * repeated its SYN.
     */
    private static final int BACKLOG = 4_096;

    /** Connections that are accepted before it is looked whose they are. Each takes a file. */
    private static final int MAX_LOOKED_FOR = 256;

    private static final long PAUSE_NANOS = 10_000_000;

    private static final int SWEEP_MILLIS = 1_000;

    private static final int CLOSING_MILLIS = 5_000;

    /**
     * How long the other side may be silent after one side has ended. A client that has gone cannot be distinguished
     * from one that waits.
     */
    private static final Duration HALF_CLOSED = Duration.ofMinutes(2);

    /** In seconds: a host that vanished is detected after two minutes of silence. */
    private static final Map<SocketOption<Integer>, Integer> KEEP_ALIVE = Map.of(
            ExtendedSocketOptions.TCP_KEEPIDLE, 60,
            ExtendedSocketOptions.TCP_KEEPINTERVAL, 10,
            ExtendedSocketOptions.TCP_KEEPCOUNT, 6);

    private final SharedLink link;
    private final InetSocketAddress to;
    private final ConnectionLimit limit;
    private final Clients clients;
    private final long halfClosedNanos;
    private final ServerSocket listening;
    private final Thread accepting;
    private final Set<Relay> relays = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger overLimit = new AtomicInteger();
    private final AtomicInteger ofOthers = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private volatile Throwable lastFailure;
    private final LongAdder bytesDown = new LongAdder();
    private final LongAdder bytesUp = new LongAdder();

    /**
     * @param listen where clients connect to; port 0 for any that is free
     * @param to where it relays to; resolved again for each connection if it is unresolved
     * @throws IOException if it cannot listen there
     * @throws IllegalArgumentException if only clients of the same user are to be served, and this system does not show
     *     whose they are, or {@code listen} is an address of a network
     */
    public LinkProxy(Link link, InetSocketAddress listen, InetSocketAddress to, ConnectionLimit limit, Clients clients)
            throws IOException {
        this(link, listen, to, limit, clients, HALF_CLOSED);
    }

    LinkProxy(
            Link link,
            InetSocketAddress listen,
            InetSocketAddress to,
            ConnectionLimit limit,
            Clients clients,
            Duration halfClosed)
            throws IOException {
        if (clients == Clients.SAME_USER) {
            requireKnownUsers(listen);
        }
        this.clients = clients;
        this.link = SharedLink.of(link, limit.growthBytes());
        this.to = to;
        this.limit = limit;
        halfClosedNanos = halfClosed.toNanos();
        listening = new ServerSocket();
        try {
            listening.bind(listen, BACKLOG);
        } catch (IOException e) {
            listening.close();
            throw e;
        }
        accepting = start("link-proxy", this::accept);
    }

    private static void requireKnownUsers(InetSocketAddress listen) {
        if (listen.isUnresolved() || !listen.getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException(
                    listen + " is not an address of the loopback interface, where this system"
                            + " shows whose connections they are");
        }
        if (!LoopbackClient.isKnown()) {
            throw new IllegalArgumentException(
                    "this system does not show whose connections they are (Linux does, in /proc/net/tcp)");
        }
    }

    private static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** The address on which it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    /** Connections that are open or being opened. */
    public int connections() {
        return connections.get();
    }

    /** Connections that were closed because the server did not accept them. */
    public int refused() {
        return refused.get();
    }

    /** Connections that were closed at once because of the limit. */
    public int overLimit() {
        return overLimit.get();
    }

    /** Connections that were closed at once because they are not of a process of this user. */
    public int ofOthers() {
        return ofOthers.get();
    }

    /** Connections that were closed by an error of the relay, such as a lack of memory or threads. */
    public int failed() {
        return failed.get();
    }

    /** The last error of the relay. */
    public Optional<Throwable> lastFailure() {
        return Optional.ofNullable(lastFailure);
    }

    /** Bytes from the server to its clients so far. */
    public long bytesDown() {
        return bytesDown.sum();
    }

    /** Bytes to the server so far. */
    public long bytesUp() {
        return bytesUp.sum();
    }

    private void accept() {
        long sweptNanos = System.nanoTime();
        while (!listening.isClosed()) {
            try {
                listening.setSoTimeout(SWEEP_MILLIS);
                admitAll(listening.accept());
            } catch (SocketTimeoutException e) {
                // no client has connected
            } catch (Throwable e) {
                // closed; or out of files or memory, which may be free soon
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            long now = System.nanoTime();
            if (now - sweptNanos >= SWEEP_MILLIS * 1_000_000L) {
                sweptNanos = now;
                relays.forEach(relay -> relay.closeIfAbandoned(now));
            }
        }
    }

    /**
     * Those that wait are looked for together: one by one, a burst of others would keep this user's out for minutes.
     */
    private void admitAll(Socket first) throws IOException {
        if (clients == Clients.ALL) {
            admit(first);
            return;
        }
        List<Socket> waiting = new ArrayList<>(List.of(first));
        try {
            listening.setSoTimeout(1);
            while (waiting.size() < MAX_LOOKED_FOR) {
                waiting.add(listening.accept());
            }
        } catch (SocketTimeoutException e) {
            // there are no more
        } catch (IOException e) { // closed, or out of files
            if (listening.isClosed()) {
                waiting.forEach(LinkProxy::close);
                throw e;
            }
        }
        List<Socket> own = ofSameUser(waiting);
        ofOthers.addAndGet(waiting.size() - own.size());
        for (Socket client : waiting) {
            if (own.contains(client)) {
                admit(client);
            } else {
                close(client);
            }
        }
    }

    /** None if the system does not show it, or lacks memory. */
    private static List<Socket> ofSameUser(List<Socket> accepted) {
        try {
            List<LoopbackClient> clients = LoopbackClient.of(accepted.stream()
                    .map(client -> new LoopbackClient.LoopbackConnection(
                            (InetSocketAddress) client.getRemoteSocketAddress(),
                            (InetSocketAddress) client.getLocalSocketAddress()))
                    .toList());
            return IntStream.range(0, accepted.size())
                    .filter(i -> clients.get(i) == LoopbackClient.SAME_USER)
                    .mapToObj(accepted::get)
                    .toList();
        } catch (IOException | RuntimeException | Error e) {
            return List.of();
        }
    }

    private void admit(Socket client) {
        if (connections.get() >= limit.connections()) { // only this thread increments
            overLimit.incrementAndGet();
            close(client);
            return;
        }
        connections.incrementAndGet();
        Relay relay = null;
        try {
            relay = new Relay(client);
            relays.add(relay);
            start("link-up", relay::run);
        } catch (Throwable e) { // no thread or memory
            fail(e);
            if (relay == null) {
                close(client);
                connections.decrementAndGet();
            } else {
                relay.close();
                relay.end();
            }
        }
        if (listening.isClosed() && relay != null) { // closed meanwhile
            relay.close();
        }
    }

    private void fail(Throwable e) {
        lastFailure = e;
        failed.incrementAndGet();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is gone
        }
    }

    private static void prepare(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        for (Map.Entry<SocketOption<Integer>, Integer> option : KEEP_ALIVE.entrySet()) {
            if (socket.supportedOptions().contains(option.getKey())) { // otherwise the system's own times
                socket.setOption(option.getKey(), option.getValue());
            }
        }
    }

    /** Both sides of a connection. */
    private final class Relay {

        private final Socket client;
        private final Socket server = new Socket();
        private SharedLink.Streams linked;

        /** Threads that are still running. */
        private final AtomicInteger threads = new AtomicInteger(1);

        private volatile boolean isHalfClosed;
        private volatile long lastNanos = System.nanoTime();

        Relay(Socket client) {
            this.client = client;
        }

        /** Connects; then relays from the client on this thread, and from the server on another one. */
        void run() {
            try {
                if (connect()) {
                    linked = link.emulate(server.getInputStream(), server.getOutputStream());
                    InputStream fromClient = client.getInputStream();
                    OutputStream toClient = client.getOutputStream();
                    startDown(toClient);
                    pump(fromClient, linked.out(), server, bytesUp);
                }
            } catch (IOException e) {
                close(); // client or server has gone
            } catch (Throwable e) {
                close();
                fail(e);
            } finally {
                end();
            }
        }

        private boolean connect() throws IOException {
            prepare(client);
            try {
                server.connect(new InetSocketAddress(to.getHostString(), to.getPort()), CONNECT_MILLIS);
                prepare(server);
                return true;
            } catch (IOException e) {
                close();
                refused.incrementAndGet();
                return false;
            }
        }

        private void startDown(OutputStream toClient) {
            threads.incrementAndGet();
            boolean isStarted = false;
            try {
                start("link-down", () -> down(toClient));
                isStarted = true;
            } finally {
                if (!isStarted) {
                    threads.decrementAndGet();
                }
            }
        }

        private void down(OutputStream toClient) {
            try {
                pump(linked.in(), toClient, client, bytesDown);
            } catch (IOException e) {
                close();
            } catch (Throwable e) {
                close();
                fail(e);
            } finally {
                end();
            }
        }

        private void pump(InputStream in, OutputStream out, Socket end, LongAdder bytes) throws IOException {
            byte[] buffer = new byte[MIN_BUFFER];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                out.write(buffer, 0, count);
                bytes.add(count);
                lastNanos = System.nanoTime();
                if (count == buffer.length && count < MAX_BUFFER) {
                    buffer = new byte[2 * count];
                }
            }
            end.shutdownOutput();
            lastNanos = System.nanoTime();
            isHalfClosed = true;
        }

        /**
         * Keep-alive finds hosts that have vanished. This finds a side that has closed while the other sends nothing.
         */
        void closeIfAbandoned(long now) {
            if (isHalfClosed && now - lastNanos >= halfClosedNanos) {
                close();
            }
        }

        /** Closes both sides, which ends both threads. */
        void close() {
            LinkProxy.close(client);
            LinkProxy.close(server);
        }

        /** Called by each thread when it ends; the last one releases the connection's resources. */
        void end() {
            if (threads.decrementAndGet() > 0) {
                return;
            }
            close();
            if (linked != null) {
                try {
                    linked.in().close();
                } catch (IOException e) {
                    // it is gone
                }
            }
            relays.remove(this);
            connections.decrementAndGet();
        }
    }

    /** Closes all connections and stops listening: when this returns, others can listen at the port. */
    @Override
    public void close() throws IOException {
        listening.close();
        try {
            accepting.join(CLOSING_MILLIS); // its call of accept() holds the port until it returns
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        relays.forEach(Relay::close);
    }
}
