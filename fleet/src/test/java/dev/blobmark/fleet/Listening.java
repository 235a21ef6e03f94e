package dev.blobmark.fleet;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A socket that waits for connections, as Linux lists it.
 *
 * @param address in hexadecimal, as in {@code /proc/net/tcp} and {@code /proc/net/tcp6}
 */
record Listening(String address, int port) {

    private static final String LISTENS = "0A";

    /** __SO_ACCEPTCON of include/linux/net.h. */
    private static final int ACCEPTS = 1 << 16;

    private static final int HEX = 16;

    /** 127.0.0.1, and the same in IPv6. */
    private static final Set<String> LOOPBACK =
            Set.of("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000");

    boolean isLoopback() {
        return LOOPBACK.contains(address);
    }

    /** The files of the sockets at which a process listens. */
    static List<Path> files(ProcessHandle process) throws IOException {
        Path proc = Path.of("/proc", Long.toString(process.pid()));
        Set<String> sockets = sockets(proc);
        return Files.readAllLines(proc.resolve("net/unix")).stream()
                .skip(1)
                .map(line -> line.strip().split("\\s+"))
                .filter(fields -> (Integer.parseInt(fields[3], HEX) & ACCEPTS) != 0)
                .filter(fields -> sockets.contains("socket:[" + fields[6] + "]"))
                .map(fields -> Path.of(fields[7]))
                .toList();
    }

    private static Set<String> sockets(Path proc) throws IOException {
        Set<String> sockets = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(proc.resolve("fd"))) {
            for (Path file : files) {
                try {
                    sockets.add(Files.readSymbolicLink(file).toString());
                } catch (NoSuchFileException e) {
                    // closed since
                }
            }
        } catch (NoSuchFileException e) {
            return Set.of(); // it has ended since it was listed
        }
        return sockets;
    }

    /** Those of a process. */
    static List<Listening> of(ProcessHandle process) throws IOException {
        Path proc = Path.of("/proc", Long.toString(process.pid()));
        Set<String> sockets = sockets(proc);
        if (sockets.isEmpty()) {
            return List.of();
        }
        List<Listening> found = new ArrayList<>();
        for (String table : List.of("net/tcp", "net/tcp6")) {
            for (String line : Files.readAllLines(proc.resolve(table))) {
                String[] fields = line.strip().split("\\s+");
                if (fields[3].equals(LISTENS) && sockets.contains("socket:[" + fields[9] + "]")) {
                    String[] local = fields[1].split(":");
                    found.add(new Listening(local[0], Integer.parseInt(local[1], 16)));
                }
            }
        }
        return found;
    }
}
