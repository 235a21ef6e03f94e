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
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
     * A connection that was accepted.
     *
     * @param client its address
     * @param server address on which it was accepted
     */
    public record LoopbackConnection(InetSocketAddress client, InetSocketAddress server) {

        private List<String> words() {
            return Stream.of(false, true)
                    .map(isMapped -> LoopbackClient.words(client, isMapped) + " " + serverWords(isMapped))
                    .toList();
        }

        private String serverWords(boolean isMapped) {
            return LoopbackClient.words(server, isMapped);
        }
    }

    /**
     * Looks for the clients' sockets. The tables have a line for each socket of the machine, so that many connections
     * are best looked for together.
     *
     * @return one for each connection, in their order
     * @throws IOException if the system does not show it
     */
    public static List<LoopbackClient> of(List<LoopbackConnection> connections) throws IOException {
        String self = Files.getAttribute(Path.of("/proc/self"), "unix:uid").toString();
        Set<String> servers = connections.stream()
                .flatMap(one -> Stream.of(one.serverWords(false), one.serverWords(true)))
                .collect(Collectors.toSet());
        Map<String, String> users = new HashMap<>();
        for (int i = 0; i < READS && !connections.stream().allMatch(one -> user(one, users) != null); i++) {
            for (String table : List.of("tcp", "tcp6")) {
                read(TABLES.resolve(table), servers, users);
            }
        }
        return connections.stream()
                .map(one -> self.equals(user(one, users)) ? SAME_USER : OTHER)
                .toList();
    }

    private static String user(LoopbackConnection connection, Map<String, String> users) {
        return connection.words().stream()
                .map(users::get)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Adds the users of sockets that are open, by their own address and that of a server. */
    private static void read(Path table, Set<String> servers, Map<String, String> users) throws IOException {
        if (!Files.exists(table)) {
            return; // without IPv6
        }
        try (BufferedReader lines = Files.newBufferedReader(table, StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (servers.stream().anyMatch(line::contains)) {
                    String[] words = line.strip().split("\\s+");
                    if (servers.contains(words[REMOTE]) && !words[INODE].equals(NO_INODE)) {
                        users.put(words[LOCAL] + " " + words[REMOTE], words[USER]);
                    }
                }
            }
        }
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
