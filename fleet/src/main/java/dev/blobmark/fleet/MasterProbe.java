package dev.blobmark.fleet;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Finds out what a port of Spark does with a request of somebody who has not authenticated. The request is one byte, on
 * which every handler fails: the one for authentication, if there is one, and otherwise the one that reads the address
 * of a receiver, before it deserializes anything. Spark answers with the failure's stack, which has the class of the
 * handler.
 *
 * <p>Messages have the form of Spark's {@code TransportFrameDecoder} and {@code MessageEncoder}: the length of the
 * frame in eight bytes, with these; the type in one; then {@code RpcRequest} has a number in eight bytes and the length
 * of its body in four, and {@code RpcFailure} a number and a text with its length in four.
 */
final class MasterProbe {

    /** What the port does. */
    enum PortState {
        /** It wants authentication first. */
        AUTHENTICATED,
        /** It reads the request of a stranger. */
        OPEN,
        /** It closes the connection without an answer, as it does if it expects TLS. */
        CLOSED,
        /** It does something else, or nothing for some seconds. */
        OTHER,
        /** There is no connection. */
        UNREACHABLE
    }

    private static final int ANSWER_MILLIS = 10_000;

    private static final int RPC_REQUEST = 3;

    private static final int RPC_FAILURE = 5;

    private static final long NUMBER = 1;

    /** Of the frame's length, the type, a number and a length. */
    private static final int HEADER_BYTES = 21;

    /** A stack has 3 KB. */
    private static final int MAX_BYTES = 64 << 10;

    private static final String OF_RPC = "org.apache.spark.rpc.";

    private static final String[] OF_AUTHENTICATION = {
        "at org.apache.spark.network.crypto.AuthRpcHandler.", "at org.apache.spark.network.sasl.SaslRpcHandler."
    };

    private MasterProbe() {}

    static PortState ask(Masters.MasterAddress place) {
        try (Socket socket = new Socket()) {
            try {
                socket.connect(place.address(), Masters.CONNECT_MILLIS);
            } catch (IOException e) {
                return PortState.UNREACHABLE;
            }
            return ask(socket);
        } catch (SocketTimeoutException e) {
            return PortState.OTHER;
        } catch (IOException e) {
            return PortState.CLOSED; // reset
        }
    }

    private static PortState ask(Socket socket) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeLong(HEADER_BYTES + 1);
        out.writeByte(RPC_REQUEST);
        out.writeLong(NUMBER);
        out.writeInt(1);
        out.writeByte(1);
        out.flush();
        DataInputStream in = new DataInputStream(new Limited(socket));
        long frame;
        try {
            frame = in.readLong();
        } catch (EOFException e) {
            return PortState.CLOSED;
        }
        int type = in.readUnsignedByte();
        long number = in.readLong();
        int length = in.readInt();
        if (type != RPC_FAILURE
                || number != NUMBER
                || length < 0
                || frame != HEADER_BYTES + (long) length
                || frame > MAX_BYTES) {
            return PortState.OTHER;
        }
        byte[] text = new byte[length];
        in.readFully(text);
        return judged(new String(text, StandardCharsets.UTF_8));
    }

    static PortState judged(String failure) {
        if (failure.contains(OF_RPC)) {
            return PortState.OPEN;
        }
        for (String handler : OF_AUTHENTICATION) {
            if (failure.contains(handler)) {
                return PortState.AUTHENTICATED;
            }
        }
        return PortState.OTHER;
    }

    /** Ends with a timeout however slowly bytes come. */
    private static final class Limited extends InputStream {

        private final Socket socket;
        private final InputStream in;
        private final long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ANSWER_MILLIS);

        Limited(Socket socket) throws IOException {
            this.socket = socket;
            this.in = socket.getInputStream();
        }

        private void limit() throws IOException {
            long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (millis <= 0) {
                throw new SocketTimeoutException("no answer within " + ANSWER_MILLIS + " ms");
            }
            socket.setSoTimeout((int) millis);
        }

        @Override
        public int read() throws IOException {
            limit();
            return in.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            limit();
            return in.read(bytes, offset, length);
        }
    }
}
