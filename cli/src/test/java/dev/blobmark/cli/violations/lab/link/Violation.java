package dev.blobmark.cli.violations.lab.link;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.nio.channels.ServerSocketChannel;

/** Listens, and nobody knows. */
public class Violation {

    void listen() throws IOException {
        new ServerSocket(0).close();
        new DatagramSocket().close();
        ServerSocketChannel.open().close();
    }
}
