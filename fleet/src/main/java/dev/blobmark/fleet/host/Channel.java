package dev.blobmark.fleet.host;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * An encrypted connection between Blobmark and a host. The host knows Blobmark by its certificate, and Blobmark the
 * host by a token; the task of Spark has both.
 */
public final class Channel implements AutoCloseable {

    /** What a connection is for: its first byte after the token. */
    public static final byte CONTROL = 1;

    public static final byte PROCESS = 2;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    public Channel(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    /**
     * Connects to Blobmark.
     *
     * @param certificate of Blobmark, encoded with DER
     * @throws IOException if it cannot be reached, or has another certificate
     */
    public static Channel connect(Address address, byte kind) throws IOException {
        Socket socket = trusting(address.certificate()).getSocketFactory().createSocket();
        try {
            socket.connect(new InetSocketAddress(address.host(), address.port()), 10_000);
            Channel channel = new Channel(socket);
            channel.out.write(address.token());
            channel.out.writeByte(kind);
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

    /** Reads the token and the kind of a connection. */
    public static byte accept(Channel channel, byte[] token) throws IOException {
        byte[] sent = channel.in.readNBytes(token.length);
        if (!MessageDigest.isEqual(token, sent)) {
            throw new IOException("a connection without the token of this run");
        }
        return channel.in.readByte();
    }

    public DataInputStream in() {
        return in;
    }

    public DataOutputStream out() {
        return out;
    }

    /** @param millis 0 for no limit */
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
