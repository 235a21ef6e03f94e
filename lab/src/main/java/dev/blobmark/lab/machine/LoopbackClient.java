package dev.blobmark.lab.machine;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Whose process is at the other end of a connection over the loopback interface. Linux shows this in
 * {@code /proc/net/tcp} and {@code tcp6}.
 */
public enum LoopbackClient {
    SAME_USER,
    /** A process of another user, or none any more: the system shows root as the user of a socket that was closed. */
    OTHER;

    private static final Path TABLES = Path.of("/proc/self/net");

    /** Columns of proc_pid_net(5); lines begin with a space. */
    private static final int LOCAL = 1;

    private static final int REMOTE = 2;
    private static final int USER = 7;
    private static final int INODE = 9;

    /** A socket that no process has open. */
    private static final String NO_INODE = "0";

    private static final int IPV4_BYTES = 4;

    /** The table is not read at one moment, so a line can be missing while connections come and go. */
    private static final int READS = 3;

    /** Whether the system shows it. */
    public static boolean isKnown() {
        return Files.isReadable(TABLES.resolve("tcp"));
    }

    /**
     * Looks for the client's socket.
     *
     * @param client address of the client
     * @param server address on which the client was accepted
     * @throws IOException if the system does not show it
     */
    public static LoopbackClient of(InetSocketAddress client, InetSocketAddress server) throws IOException {
        String self = Files.getAttribute(Path.of("/proc/self"), "unix:uid").toString();
        for (int i = 0; i < READS; i++) {
            for (boolean isMapped : new boolean[] {false, true}) {
                String user = user(words(client, isMapped), words(server, isMapped));
                if (!user.isEmpty()) {
                    return user.equals(self) ? SAME_USER : OTHER;
                }
            }
        }
        return OTHER;
    }

    /** The user of a socket that is open, or nothing. */
    private static String user(String local, String remote) throws IOException {
        Path table = TABLES.resolve(local.length() > "00000000:0000".length() ? "tcp6" : "tcp");
        if (!Files.exists(table)) {
            return ""; // without IPv6
        }
        String both = " " + local + " " + remote + " ";
        try (BufferedReader lines = Files.newBufferedReader(table, StandardCharsets.US_ASCII)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.contains(both)) {
                    String[] words = line.strip().split("\\s+");
                    if (words[LOCAL].equals(local) && words[REMOTE].equals(remote) && !words[INODE].equals(NO_INODE)) {
                        return words[USER];
                    }
                }
            }
        }
        return "";
    }

    /**
     * An address as the tables print it: words of four bytes in network order, each read as a number of this machine.
     *
     * @param isMapped whether an IPv4 address is that of a socket for both protocols: {@code ::ffff:127.0.0.1}
     */
    private static String words(InetSocketAddress address, boolean isMapped) {
        InetAddress host = address.getAddress();
        StringBuilder words = new StringBuilder();
        byte[] bytes = host.getAddress();
        if (bytes.length == IPV4_BYTES && isMapped) {
            words.append(word(0)).append(word(0)).append(word(0xFFFF));
        }
        ByteBuffer numbers = ByteBuffer.wrap(bytes);
        while (numbers.hasRemaining()) {
            words.append(word(numbers.getInt()));
        }
        return words + String.format(Locale.ROOT, ":%04X", address.getPort());
    }

    /** @param number as in network order */
    private static String word(int number) {
        int asShown = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Integer.reverseBytes(number) : number;
        return String.format(Locale.ROOT, "%08X", asShown);
    }
}
