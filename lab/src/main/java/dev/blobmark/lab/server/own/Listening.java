package dev.blobmark.lab.server.own;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Whether a process listens on a port of 127.0.0.1. Any user of the machine can listen on the port before the server
 * does, and would then receive its password.
 */
public enum Listening {
    YES,
    /** No process listens there, or another one does. */
    NO,
    /** The system does not show it: {@code /proc} is missing or hidden. */
    UNKNOWN;

    private static final Path PROC = Path.of("/proc");

    private static final boolean IS_LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    /** 127.0.0.1 as {@code /proc/net/tcp} prints it: the bytes in network order, read as a number of this machine. */
    private static final String LOOPBACK = IS_LITTLE ? "0100007F" : "7F000001";

    /** ::ffff:127.0.0.1 in {@code /proc/net/tcp6}: some programs listen on 127.0.0.1 with an IPv6 socket. */
    private static final String MAPPED = "0000000000000000" + (IS_LITTLE ? "FFFF0000" : "0000FFFF") + LOOPBACK;

    /** TCP_LISTEN of include/net/tcp_states.h. */
    private static final String LISTEN = "0A";

    /** Columns of proc_pid_net(5); lines begin with a space. */
    private static final int ADDRESS = 1;

    private static final int STATE = 3;
    private static final int USER = 7;
    private static final int INODE = 9;

    private record Socket(String inode, String user) {}

    /**
     * @param port of 127.0.0.1. A socket on all interfaces does not count, because connections to 127.0.0.1 go to the
     *     socket on that address
     */
    public static Listening of(long pid, int port) {
        return of(PROC, pid, port);
    }

    public static Listening of(Path proc, long pid, int port) {
        List<Socket> sockets;
        try {
            sockets = sockets(proc, port);
        } catch (IOException hidden) {
            return UNKNOWN;
        }
        if (sockets.isEmpty()) {
            return NO;
        }
        try {
            Set<String> open = openSockets(proc.resolve(pid + "/fd"));
            return sockets.stream().map(Socket::inode).allMatch(open::contains) ? YES : NO;
        } catch (NoSuchFileException ended) {
            return NO;
        } catch (AccessDeniedException notDumpable) {
            // a program with file capabilities (setcap) hides its descriptors from its own user; a socket of another
            // user can still be recognised
            return ofUser(proc, sockets);
        } catch (IOException hidden) {
            return UNKNOWN;
        }
    }

    private static Listening ofUser(Path proc, List<Socket> sockets) {
        try {
            String user = Files.getAttribute(proc.resolve("self"), "unix:uid").toString();
            return sockets.stream().map(Socket::user).allMatch(user::equals) ? YES : NO;
        } catch (IOException hidden) {
            return UNKNOWN;
        }
    }

    private static List<Socket> sockets(Path proc, int port) throws IOException {
        String local = ":" + String.format(Locale.ROOT, "%04X", port);
        List<String> lines = new ArrayList<>(read(proc.resolve("self/net/tcp")));
        if (Files.exists(proc.resolve("self/net/tcp6"))) {
            lines.addAll(read(proc.resolve("self/net/tcp6")));
        }
        return lines.stream()
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length > INODE
                        && (words[ADDRESS].equals(LOOPBACK + local) || words[ADDRESS].equals(MAPPED + local))
                        && words[STATE].equals(LISTEN))
                .map(words -> new Socket(words[INODE], words[USER]))
                .toList();
    }

    private static List<String> read(Path table) throws IOException {
        return Files.readAllLines(table, StandardCharsets.US_ASCII);
    }

    private static Set<String> openSockets(Path descriptors) throws IOException {
        Set<String> inodes = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(descriptors)) {
            for (Path file : files) {
                try {
                    String target = Files.readSymbolicLink(file).toString();
                    if (target.startsWith("socket:[")) {
                        inodes.add(target.substring("socket:[".length(), target.length() - 1));
                    }
                } catch (NoSuchFileException closedMeanwhile) {
                    // the listening socket stays open
                }
            }
        }
        return inodes;
    }
}
