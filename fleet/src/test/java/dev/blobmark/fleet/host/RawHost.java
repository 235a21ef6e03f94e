package dev.blobmark.fleet.host;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** A connection to Blobmark whose other end writes any bytes that it wants. */
public final class RawHost implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 30_000;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    private RawHost(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    /** Without encryption. */
    public static RawHost plain(Address address) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(address.host(), address.port()), PATIENCE_MILLIS);
        return new RawHost(socket);
    }

    /** Encrypted, without a proof. */
    public static RawHost encrypted(Address address) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(null, new TrustManager[] {new Anybody()}, new SecureRandom());
            Socket socket = context.getSocketFactory().createSocket();
            socket.connect(new InetSocketAddress(address.host(), address.port()), PATIENCE_MILLIS);
            return new RawHost(socket);
        } catch (java.security.GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** Encrypted, with a signature by a key. */
    public static RawHost signed(Address address, HostKey key, byte purpose, int number) throws IOException {
        RawHost host = encrypted(address);
        host.write(proof(key, host.in.readNBytes(32), address, purpose, number));
        return host;
    }

    /** What a host answers to a challenge. */
    public static byte[] proof(HostKey key, byte[] challenge, Address address, byte purpose, int number)
            throws IOException {
        return ByteBuffer.allocate(1 + Integer.BYTES + HostKey.PUBLIC_BYTES + HostKey.SIGNATURE_BYTES)
                .put(purpose)
                .putInt(number)
                .put(key.publicBytes())
                .put(key.sign(HostKey.statement(challenge, address.certificate(), purpose, number)))
                .array();
    }

    /** The same, and admitted. */
    public static RawHost admitted(Address address, HostKey key, byte purpose, int number) throws IOException {
        RawHost host = signed(address, key, purpose, number);
        if (host.in.read() != 1) {
            host.close();
            throw new IOException("not admitted");
        }
        return host;
    }

    public void write(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /** The bytes of a message. */
    public static byte[] frame(int length, long number, byte type, byte[] content) {
        return ByteBuffer.allocate(Integer.BYTES + Long.BYTES + 1 + content.length)
                .putInt(length)
                .putLong(number)
                .put(type)
                .put(content)
                .array();
    }

    /** The bytes of a message as it should be. */
    public static byte[] frame(long number, Message message) {
        byte[] content = message.content();
        return frame(Long.BYTES + 1 + content.length, number, message.type(), content);
    }

    /** Reads a message, and returns its type and content. */
    public byte[] read() throws IOException {
        int length = in.readInt();
        in.readLong();
        return in.readNBytes(length - Long.BYTES);
    }

    /** Waits until Blobmark closes the connection. */
    public void awaitEnd() throws IOException {
        try {
            while (in.read() >= 0) {
                // what it had sent before
            }
        } catch (java.net.SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            // reset
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
