package dev.blobmark.mysql.server.running;

import dev.blobmark.mysql.server.TlsMaterial;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * What answers in the place of a MySQL server, with a certificate of its own: it encrypts, asks for another method of
 * authentication, and keeps what it is sent. See "Connection Phase" in MySQL's documentation of its protocol.
 */
final class FalseServer implements AutoCloseable {

    /**
     * Of the greeting: CLIENT_PROTOCOL_41, CLIENT_SSL, CLIENT_SECURE_CONNECTION, CLIENT_PLUGIN_AUTH, CONNECT_WITH_DB,
     * long passwords.
     */
    private static final int CAPABILITIES = 0x00000200 | 0x00000800 | 0x00008000 | 0x00080000 | 0x00000008 | 0x00000001;

    private final ServerSocket listener = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"));
    private final SSLContext tls;
    private final String plugin;
    private final List<String> heard = Collections.synchronizedList(new ArrayList<>());

    /**
     * @param plugin that it asks for
     * @param material its key and certificate
     */
    FalseServer(String plugin, TlsMaterial material) throws IOException, GeneralSecurityException {
        this.plugin = plugin;
        tls = material.context(false);
        Thread thread = new Thread(this::serve, "false-server");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return listener.getLocalPort();
    }

    /** All that clients have sent once encrypted, byte by byte as Latin-1. */
    String heard() {
        return String.join("\n", heard);
    }

    private void serve() {
        while (!listener.isClosed()) {
            try (Socket client = listener.accept()) {
                answer(client);
            } catch (IOException clientHasLeft) {
                // the next one, please
            }
        }
    }

    private void answer(Socket client) throws IOException {
        write(client.getOutputStream(), 0, greeting());
        read(client.getInputStream()); // that it wants TLS
        try (SSLSocket encrypted = (SSLSocket) tls.getSocketFactory().createSocket(client, null, true)) {
            encrypted.setUseClientMode(false);
            byte[] login = read(encrypted.getInputStream());
            heard.add(new String(login, StandardCharsets.ISO_8859_1));
            ByteArrayOutputStream change = new ByteArrayOutputStream();
            change.write(0xFE);
            change.writeBytes(plugin.getBytes(StandardCharsets.US_ASCII));
            change.write(0);
            // what PAM prompts with: an echoed question, the last one
            change.writeBytes("\4Password: ".getBytes(StandardCharsets.US_ASCII));
            write(encrypted.getOutputStream(), 3, change.toByteArray());
            heard.add(new String(read(encrypted.getInputStream()), StandardCharsets.ISO_8859_1));
        }
    }

    private static byte[] greeting() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(10);
        out.writeBytes("8.4.0\0".getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(new byte[] {1, 0, 0, 0});
        out.writeBytes("12345678\0".getBytes(StandardCharsets.US_ASCII));
        out.write(CAPABILITIES);
        out.write(CAPABILITIES >> 8);
        out.write(45);
        out.writeBytes(new byte[] {2, 0});
        out.write(CAPABILITIES >> 16);
        out.write(CAPABILITIES >> 24);
        out.write(21);
        out.writeBytes(new byte[10]);
        out.writeBytes("901234567890\0".getBytes(StandardCharsets.US_ASCII));
        out.writeBytes("mysql_native_password\0".getBytes(StandardCharsets.US_ASCII));
        return out.toByteArray();
    }

    private static void write(OutputStream out, int sequence, byte[] payload) throws IOException {
        out.write(payload.length);
        out.write(payload.length >> 8);
        out.write(payload.length >> 16);
        out.write(sequence);
        out.write(payload);
        out.flush();
    }

    private static byte[] read(InputStream in) throws IOException {
        DataInputStream packets = new DataInputStream(in);
        int length = packets.readUnsignedByte() | packets.readUnsignedByte() << 8 | packets.readUnsignedByte() << 16;
        packets.readByte();
        byte[] payload = packets.readNBytes(length);
        if (payload.length < length) {
            throw new EOFException();
        }
        return payload;
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
