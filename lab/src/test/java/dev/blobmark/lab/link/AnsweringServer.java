package dev.blobmark.lab.link;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A server behind a relay: each request is a number, and is answered with that many bytes; a negative one ends it. */
final class AnsweringServer implements AutoCloseable {

    private final ServerSocket listening = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());

    AnsweringServer() throws IOException {
        start(this::accept);
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "answering-server");
        thread.setDaemon(true);
        thread.start();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                start(() -> serve(socket));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private static void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            for (long bytes = in.readLong(); bytes >= 0; bytes = in.readLong()) {
                socket.getOutputStream().write(new byte[(int) bytes]);
            }
        } catch (IOException e) {
            // closed by the other end
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
