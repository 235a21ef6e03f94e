package dev.blobmark.fleet.host;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * An encrypted connection between Blobmark and a host. The host knows Blobmark by its certificate; Blobmark knows the
 * host by its {@link HostKey}: it sends a challenge, which the host signs.
 *
 * <p>After that, both send messages: four bytes with the length of what follows, eight with the message's number, one
 * with its type, and its content. Messages of each side are numbered from 1. Only one thread may receive.
 */
public final class Channel implements AutoCloseable {

    /** What a connection is for: orders to a host. */
    public static final byte CONTROL = 1;

    /** For the lines of a process, by its number. */
    public static final byte PROCESS = 2;

    /** For what a scan needs to connect to a server, by the scan's number. */
    public static final byte LOGIN = 3;

    private static final int CONNECT_MILLIS = 10_000;

    /** Less than the two minutes within which hosts must have joined. */
    private static final int JOIN_MILLIS = 90_000;

    private static final long PAUSE_NANOS = 200_000_000;
    private static final int CHALLENGE_BYTES = 32;
    private static final byte ADMITTED = 1;
    private static final int HEADER_BYTES = Long.BYTES + 1;

    /** The only ones that both sides speak. */
    public static final String[] PROTOCOLS = {"TLSv1.3"};

    /** The other side has closed its window for so long: it does not read any more. */
    private static final int SEND_MILLIS = 60_000;

    private static final ScheduledExecutorService WATCH = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "fleet-send-watch");
        thread.setDaemon(true);
        return thread;
    });

    private final Socket socket;

    /** Below the encryption: closing it ends a write that does not return. */
    private final Optional<Socket> raw;

    private final int sendMillis;

    private final DataInputStream in;
    private final DataOutputStream out;
    private long sent;
    private long received;

    public Channel(Socket socket) throws IOException {
        this(socket, Optional.empty());
    }

    /** @param raw the socket below the encryption; then a message must be sent within a minute */
    public Channel(Socket socket, Optional<Socket> raw) throws IOException {
        this(socket, raw, SEND_MILLIS);
    }

    Channel(Socket socket, Optional<Socket> raw, int sendMillis) throws IOException {
        this.sendMillis = sendMillis;
        this.socket = socket;
        this.raw = raw;
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    /**
     * Connects to Blobmark, which must admit the key. Blobmark closes connections when there are too many, so another
     * one is made if one is lost before the key was sent.
     *
     * @param number of the process or the scan; 0 for a host
     * @throws IOException if it cannot be reached, has another certificate, or does not admit the key
     */
    public static Channel connect(Address address, HostKey key, byte purpose, int number) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MILLIS);
        while (true) {
            try {
                return proven(called(address), address, key, purpose, number);
            } catch (LostException e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** A connection was lost before anything was proven. */
    private static final class LostException extends IOException {
        private static final long serialVersionUID = 1;

        LostException(Throwable cause) {
            super("Blobmark has closed the connection: " + cause, cause);
        }
    }

    /** A socket to Blobmark, encrypted. */
    private static SSLSocket called(Address address) throws IOException {
        SSLSocket socket =
                (SSLSocket) trusting(address.certificate()).getSocketFactory().createSocket();
        try {
            socket.setEnabledProtocols(PROTOCOLS);
            socket.connect(new InetSocketAddress(address.host(), address.port()), CONNECT_MILLIS);
            socket.setSoTimeout(CONNECT_MILLIS);
        } catch (SocketTimeoutException e) {
            socket.close();
            throw new LostException(e); // nobody has accepted it yet
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        try {
            socket.startHandshake();
            return socket;
        } catch (IOException e) {
            socket.close();
            throw hasOtherCertificate(e) ? e : new LostException(e);
        }
    }

    private static boolean hasOtherCertificate(Throwable failure) {
        return failure != null && (failure instanceof CertificateException || hasOtherCertificate(failure.getCause()));
    }

    private static Channel proven(SSLSocket socket, Address address, HostKey key, byte purpose, int number)
            throws IOException {
        try {
            Channel channel = new Channel(socket);
            byte[] challenge = new byte[CHALLENGE_BYTES];
            try {
                channel.in.readFully(challenge);
            } catch (IOException e) {
                throw new LostException(e);
            }
            channel.out.writeByte(purpose);
            channel.out.writeInt(number);
            channel.out.write(key.publicBytes());
            channel.out.write(key.sign(HostKey.statement(challenge, address.certificate(), purpose, number)));
            channel.out.flush();
            if (channel.in.read() != ADMITTED) {
                throw new EOFException("Blobmark has not admitted this host");
            }
            socket.setSoTimeout(0);
            return channel;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static SSLContext trusting(byte[] certificate) throws IOException {
        try {
            Certificate of =
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(certificate));
            KeyStore only = KeyStore.getInstance(KeyStore.getDefaultType());
            only.load(null, null);
            only.setCertificateEntry("blobmark", of);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(only);
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("Blobmark's certificate cannot be used: " + e.getMessage(), e);
        }
    }

    /**
     * Who has connected to Blobmark.
     *
     * @param key public half, as text
     * @param purpose {@link #CONTROL}, {@link #PROCESS} or {@link #LOGIN}
     */
    public record Joiner(String key, byte purpose, int number) {}

    /**
     * Reads who the other side is. What it may cost is a fixed number of bytes and a check of a signature.
     *
     * @throws ViolationException if it has not signed the challenge
     */
    public Joiner identify(byte[] certificate) throws IOException {
        byte[] challenge = new byte[CHALLENGE_BYTES];
        new SecureRandom().nextBytes(challenge);
        out.write(challenge);
        out.flush();
        byte purpose = in.readByte();
        int number = in.readInt();
        byte[] key = new byte[HostKey.PUBLIC_BYTES];
        byte[] signature = new byte[HostKey.SIGNATURE_BYTES];
        in.readFully(key);
        in.readFully(signature);
        if (!HostKey.verify(key, HostKey.statement(challenge, certificate, purpose, number), signature)) {
            throw new ViolationException("something else than a signature of the challenge");
        }
        return new Joiner(HostKey.text(key), purpose, number);
    }

    /** Lets the other side begin. */
    public void admit() throws IOException {
        out.writeByte(ADMITTED);
        out.flush();
    }

    /**
     * Sends a message.
     *
     * @throws SocketTimeoutException if the other side does not read it
     */
    public void send(Message message) throws IOException {
        send(message.type(), message.content());
    }

    synchronized void send(byte type, byte[] content) throws IOException {
        AtomicBoolean isLate = new AtomicBoolean();
        Optional<Future<?>> watch = raw.map(below -> WATCH.schedule(
                () -> {
                    isLate.set(true);
                    below.close();
                    return null;
                },
                sendMillis,
                TimeUnit.MILLISECONDS));
        try {
            write(type, content);
        } catch (IOException e) {
            if (isLate.get()) {
                throw new SocketTimeoutException("it has not read what it was sent for " + sendMillis + " ms");
            }
            throw e;
        } finally {
            watch.ifPresent(task -> task.cancel(false));
        }
    }

    private void write(byte type, byte[] content) throws IOException {
        out.writeInt(HEADER_BYTES + content.length);
        out.writeLong(++sent);
        out.writeByte(type);
        out.write(content);
        out.flush();
    }

    /**
     * Receives a message.
     *
     * @param reader knows which types are allowed now
     * @throws ViolationException if it is not one of them, too long, out of order or malformed
     * @throws EOFException if the connection is closed
     */
    public <M extends Message> M receive(Message.MessageReader<M> reader) throws IOException {
        int length = in.readInt();
        if (length < HEADER_BYTES) {
            throw new ViolationException("a message of " + length + " bytes");
        }
        long number = in.readLong();
        if (number != ++received) {
            throw new ViolationException("the message " + number + " instead of " + received);
        }
        byte type = in.readByte();
        int content = length - HEADER_BYTES;
        int most = reader.mostBytes(type);
        if (content > most) {
            throw new ViolationException(
                    most < 0
                            ? "a message of the type " + type + ", which does not belong here"
                            : "a message of the type " + type + " with " + content + " bytes, of " + most
                                    + " that are allowed");
        }
        byte[] bytes = in.readNBytes(content); // memory is taken as they arrive
        if (bytes.length < content) {
            throw new EOFException();
        }
        return Message.parsed(reader, type, bytes);
    }

    /** @param millis that a read may wait; 0 for no limit */
    public void setPatience(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // it is unusable in any case
        }
    }
}
