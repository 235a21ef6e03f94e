package dev.blobmark.lab.client;

import com.mysql.cj.conf.PropertySet;
import com.mysql.cj.protocol.StandardSocketFactory;
import dev.blobmark.lab.link.SharedLink;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * A socket over a link, which counts its bytes and its time. All blocking clients and the JDK's TLS use the streams of
 * the socket that they are given, so all network traffic passes through these streams.
 */
final class CountedSocket extends Socket {

    private static final int CONNECT_MILLIS = 10_000;

    private final Traffic traffic;
    private SharedLink.Streams streams;

    private CountedSocket(Traffic traffic) {
        this.traffic = traffic;
    }

    /** Opens a connected socket, for a client that expects one. */
    static Socket connect(Traffic traffic, String host, int port) throws IOException {
        Socket socket = new CountedSocket(traffic);
        try {
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** The factory for Connector/J, which configures and connects the socket like its own. */
    public static final class ForConnectorJ extends StandardSocketFactory {
        @Override
        protected Socket createSocket(PropertySet properties) {
            return new CountedSocket(Traffic.opening());
        }
    }

    /** The factory for the MariaDB driver, which connects the socket itself. */
    public static final class ForMariaDb extends SocketFactory {
        @Override
        public Socket createSocket() {
            return new CountedSocket(Traffic.opening());
        }

        // the driver never asks for connected sockets

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
            throw new UnsupportedOperationException();
        }
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return streams().in();
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return streams().out();
    }

    private synchronized SharedLink.Streams streams() throws IOException {
        if (streams == null) {
            SharedLink.Streams linked =
                    traffic.link().emulate(super.getInputStream(), super.getOutputStream(), traffic::heldByLink);
            streams = new SharedLink.Streams(new CountedInput(linked.in()), new CountedOutput(linked.out()));
        }
        return streams;
    }

    private final class CountedInput extends FilterInputStream {

        CountedInput(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            traffic.beforeRead();
            int read = in.read();
            traffic.afterRead(read < 0 ? 0 : 1);
            return read;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            traffic.beforeRead();
            int count = in.read(bytes, offset, length);
            traffic.afterRead(Math.max(0, count));
            return count;
        }

        @Override
        public long skip(long max) throws IOException {
            traffic.beforeRead();
            long count = in.skip(max);
            traffic.afterRead(count);
            return count;
        }
    }

    private final class CountedOutput extends FilterOutputStream {

        CountedOutput(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int one) throws IOException {
            traffic.beforeWrite();
            out.write(one);
            traffic.afterWrite(1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            traffic.beforeWrite();
            out.write(bytes, offset, length);
            traffic.afterWrite(length);
        }
    }
}
