package dev.blobmark.cli;

import dev.blobmark.lab.link.Clients;
import dev.blobmark.lab.link.ConnectionLimit;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.link.LinkProxy;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code blobmark link}: emulates a link for any program. */
@Command(
        name = "link",
        description = {
            "Relays TCP connections of other programs over an emulated link, whose bandwidth they share. Ends with Ctrl-C."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class LinkCommand extends BlobmarkCommand {

    private static final int MOST_PORT = 65_535;
    private static final long PERIOD_MILLIS = 1_000;

    /** Without a terminal, a line is printed every n periods, if data were relayed or a connection failed. */
    private static final int LINE_PERIODS = 10;

    @Option(
            names = "--listen",
            paramLabel = "[HOST:]PORT",
            required = true,
            description =
                    "Where programs connect; the loopback interface unless a host is given. Port 0: any free port.")
    private String listen;

    @Option(names = "--to", paramLabel = "HOST:PORT", required = true, description = "The server.")
    private String to;

    @Option(
            names = "--link",
            paramLabel = "LINK",
            required = true,
            description = "A preset, or bandwidth and round trip: wifi, '200mbit 3ms'; see 'blobmark list links'.")
    private String link;

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            description =
                    "Connections served at once; further ones are closed at once. Default: what heap, open files and threads"
                            + " allow.")
    private Integer maxConnections;

    @Option(
            names = "--any-user",
            description = "Relay also connections of this machine's other users. Without it, a relay on the loopback"
                    + " interface closes them; on other addresses, it relays all.")
    private boolean isForAnyUser;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Link parsed = parsed("--link", link, Link::parse);
        InetSocketAddress from =
                address("--listen", listen, InetAddress.getLoopbackAddress().getHostAddress());
        InetSocketAddress target = address("--to", to, "");
        if (target.getPort() == 0) {
            throw usage("--to: port 0 is nobody's; give the server's");
        }
        ConnectionLimit limit = limit(parsed);
        PrintWriter out = out();
        try (LinkProxy proxy = proxy(parsed, from, target, limit)) {
            InetSocketAddress at = proxy.address();
            out.printf(
                    "listening on %s:%d, relaying to %s over %s, at most %d connections%n",
                    at.getHostString(), at.getPort(), to, parsed, limit.connections());
            out.flush();
            printRates(proxy, Terminal.columns());
        } catch (BindException e) {
            throw new IOException("cannot listen on " + listen + ": " + e.getMessage() + "; choose another port", e);
        }
        return ExitCode.DONE.code();
    }

    private LinkProxy proxy(Link link, InetSocketAddress from, InetSocketAddress target, ConnectionLimit limit)
            throws IOException {
        boolean isOnNetwork = !from.isUnresolved() && !from.getAddress().isLoopbackAddress();
        try {
            return new LinkProxy(
                    link, from, target, limit, isForAnyUser || isOnNetwork ? Clients.ALL : Clients.SAME_USER);
        } catch (IllegalArgumentException e) {
            throw usage("--listen: " + e.getMessage() + "; --any-user relays the connections of all users");
        }
    }

    private ConnectionLimit limit(Link link) {
        try {
            return maxConnections == null ? ConnectionLimit.of(link) : ConnectionLimit.of(link, maxConnections);
        } catch (IllegalArgumentException e) {
            throw usage("--max-connections: " + e.getMessage());
        }
    }

    /** @param host used if the address names none; empty if it must name one */
    private InetSocketAddress address(String option, String text, String host) {
        int colon = text.lastIndexOf(':');
        String named = colon < 0 ? host : text.substring(0, colon).replaceAll("^\\[|\\]$", "");
        String port = text.substring(colon + 1);
        if (named.isEmpty() || !port.matches("\\d{1,5}") || Integer.parseInt(port) > MOST_PORT) {
            throw usage(option + ": '" + text + "' is not " + (host.isEmpty() ? "HOST:PORT" : "PORT or HOST:PORT")
                    + ", with a port from 0 to " + MOST_PORT);
        }
        return new InetSocketAddress(named, Integer.parseInt(port));
    }

    /** Runs until the process is ended. */
    private void printRates(LinkProxy proxy, OptionalInt columns) throws InterruptedException {
        PrintWriter err = err();
        long down = 0;
        long up = 0;
        String endings = "";
        long nanos = System.nanoTime();
        for (int period = 1; ; period++) {
            TimeUnit.MILLISECONDS.sleep(PERIOD_MILLIS);
            if (columns.isEmpty() && period % LINE_PERIODS != 0) {
                continue;
            }
            long downNow = proxy.bytesDown();
            long upNow = proxy.bytesUp();
            String endingsNow = endings(proxy);
            long now = System.nanoTime();
            double seconds = (now - nanos) / 1e9;
            String line = String.format(
                    Locale.ROOT,
                    "%d connections, from the server %.2f Mbit/s, to it %.2f Mbit/s%s",
                    proxy.connections(),
                    (downNow - down) * 8 / 1e6 / seconds,
                    (upNow - up) * 8 / 1e6 / seconds,
                    endingsNow);
            if (columns.isPresent()) {
                err.print("\r\u001b[K" + line.substring(0, Math.min(line.length(), columns.getAsInt() - 1)));
            } else if (downNow + upNow > down + up || !endingsNow.equals(endings)) {
                err.println(line);
            }
            err.flush();
            down = downNow;
            up = upNow;
            endings = endingsNow;
            nanos = now;
        }
    }

    /** Number of connections that failed. */
    private static String endings(LinkProxy proxy) {
        return count(proxy.refused(), "that the server did not take")
                + count(proxy.overLimit(), "closed at the limit of connections")
                + count(proxy.ofOthers(), "closed because they are not this user's (see --any-user)")
                + count(
                        proxy.failed(),
                        "ended by an error"
                                + proxy.lastFailure().map(e -> " (" + e + ")").orElse(""));
    }

    private static String count(int connections, String what) {
        return connections == 0 ? "" : ", " + connections + " " + what;
    }
}
