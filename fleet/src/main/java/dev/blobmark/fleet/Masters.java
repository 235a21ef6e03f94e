package dev.blobmark.fleet;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The masters of a standalone cluster, one of them active.
 *
 * @param text as the user wrote it: {@code spark://ONE:7077,TWO:7077}
 */
record Masters(String text, List<MasterAddress> places) {

    static final int CONNECT_MILLIS = 5_000;

    private static final Pattern STANDALONE = Pattern.compile("spark://(.+)");

    private static final Pattern HOST_PORT = Pattern.compile("(.+):(\\d{1,5})");

    private static final int MAX_PORT = 65_535;

    /** A host and its port. */
    record MasterAddress(String host, int port) {

        /** Resolved now. */
        InetSocketAddress address() {
            return new InetSocketAddress(host, port);
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /**
     * Those of a master's address; empty if the cluster is not a standalone one.
     *
     * @throws IllegalArgumentException if it has no port
     */
    static Optional<Masters> parse(String text) {
        Matcher standalone = STANDALONE.matcher(text);
        if (!standalone.matches()) {
            return Optional.empty();
        }
        if (text.contains("@")) { // not repeated: it may be a password
            throw new IllegalArgumentException(
                    "the address of the master has a user before an @, which Spark does not have; write spark://HOST:7077");
        }
        List<MasterAddress> places = new ArrayList<>();
        for (String one : standalone.group(1).split(",")) {
            Matcher parts = HOST_PORT.matcher(one);
            if (!parts.matches() || Integer.parseInt(parts.group(2)) > MAX_PORT) {
                throw new IllegalArgumentException("'" + text + "' has no port; write spark://HOST:7077");
            }
            places.add(new MasterAddress(parts.group(1), Integer.parseInt(parts.group(2))));
        }
        return Optional.of(new Masters(text, List.copyOf(places)));
    }

    /**
     * The first that accepts a connection: Spark would try for a minute.
     *
     * @throws IOException if none does
     */
    InetSocketAddress reachable() throws IOException {
        IOException last = null;
        for (MasterAddress place : places) {
            try (Socket socket = new Socket()) {
                socket.connect(place.address(), CONNECT_MILLIS);
                return place.address();
            } catch (IOException e) {
                last = e;
            }
        }
        throw new IOException(
                "the master " + text + " cannot be reached: " + (last == null ? "it has no address" : last.getMessage())
                        + "; start it, or correct the address (its log has it)",
                last);
    }
}
