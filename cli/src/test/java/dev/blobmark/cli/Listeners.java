package dev.blobmark.cli;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The sockets on which processes listen, as Linux shows them in {@code /proc}. */
final class Listeners {

    /** TCP_LISTEN of include/net/tcp_states.h. */
    private static final String LISTEN = "0A";

    /** __SO_ACCEPTCON of include/linux/net.h. */
    private static final int ACCEPTS = 1 << 16;

    private static final String STREAM = "0001";
    private static final int HEX = 16;
    private static final int WORD_DIGITS = 8;
    private static final int IPV4_BYTES = 4;

    /**
     * A socket that takes connections, or messages of anybody.
     *
     * @param program of the process
     * @param address as in SECURITY.md: protocol and address, without the port
     */
    record Listener(String program, String address) {}

    private Listeners() {}

    static boolean areShown() {
        return Files.isReadable(Path.of("/proc/self/net/unix"));
    }

    /** Those of a process and of all below it. */
    static Set<Listener> of(ProcessHandle root) {
        Map<String, String> programs = new HashMap<>();
        // a child that has just been forked still has the files of its parent, which is therefore looked at first
        Stream.concat(Stream.of(root), root.descendants()).forEach(process -> addSockets(process, programs));
        Set<Listener> found = new LinkedHashSet<>();
        for (String protocol : List.of("tcp", "tcp6", "udp", "udp6")) {
            for (String[] words : table(protocol)) {
                String program = programs.get(words[9]);
                boolean isOpen = protocol.startsWith("tcp")
                        ? words[3].equals(LISTEN)
                        : words[2].matches("0+:0000"); // not connected: takes messages of anybody
                if (program != null && isOpen) {
                    found.add(new Listener(program, protocol.substring(0, 3) + " " + address(words[1])));
                }
            }
        }
        for (String[] words : table("unix")) {
            String program = programs.get(words[6]);
            boolean isOpen =
                    words[4].equals(STREAM) ? (Integer.parseInt(words[3], HEX) & ACCEPTS) != 0 : words.length > 7;
            if (program != null && isOpen) {
                found.add(new Listener(program, "unix " + (words.length > 7 ? words[7] : "")));
            }
        }
        return found;
    }

    /** @param programs by inode of a socket; added to */
    private static void addSockets(ProcessHandle process, Map<String, String> programs) {
        Path proc = Path.of("/proc", Long.toString(process.pid()));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(proc.resolve("fd"))) {
            String program = Files.readString(proc.resolve("comm")).strip();
            for (Path file : files) {
                try {
                    String target = Files.readSymbolicLink(file).toString();
                    if (target.startsWith("socket:[")) {
                        programs.putIfAbsent(target.replaceAll("\\D", ""), program);
                    }
                } catch (NoSuchFileException closed) {
                    // meanwhile
                }
            }
        } catch (IOException ended) {
            // meanwhile
        }
    }

    private static List<String[]> table(String name) {
        Path table = Path.of("/proc/self/net", name);
        try {
            return !Files.exists(table)
                    ? List.of()
                    : Files.readAllLines(table, StandardCharsets.ISO_8859_1).stream()
                            .skip(1)
                            .map(line -> line.strip().split("\\s+"))
                            .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The host of an address: words of four bytes in network order, each printed as a number of this machine. */
    private static String address(String text) {
        String digits = text.substring(0, text.indexOf(':'));
        ByteBuffer bytes = ByteBuffer.allocate(digits.length() / 2).order(ByteOrder.nativeOrder());
        for (int i = 0; i < digits.length(); i += WORD_DIGITS) {
            bytes.putInt(new BigInteger(digits.substring(i, i + WORD_DIGITS), HEX).intValue());
        }
        try {
            InetAddress address = InetAddress.getByAddress(bytes.array()); // of a mapped one, the IPv4 address
            boolean isAny = address.isAnyLocalAddress();
            return isAny && bytes.capacity() > IPV4_BYTES ? "*" : address.getHostAddress();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
