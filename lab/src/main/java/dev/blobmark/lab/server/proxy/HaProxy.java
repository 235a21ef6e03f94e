package dev.blobmark.lab.server.proxy;

import dev.blobmark.lab.machine.Subprocess;
import dev.blobmark.lab.server.own.OwnProcess;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerStart;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.directory.Ownership;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An HAProxy that Blobmark starts in front of a server, or of several with the same tables. It works in TCP mode: it
 * forwards bytes and knows nothing of what they mean, so logins, statements and encryption are those of the server.
 * With several servers, each new connection goes to the next one.
 *
 * <p>It listens on a free port of the loopback interface. A password is sent through it only after the system has
 * confirmed that it owns the port. It is deleted when it is closed, or by the next start if the run is killed.
 */
public final class HaProxy implements AutoCloseable {

    private static final String NAME = "HAProxy";
    private static final String PROGRAM = "haproxy";
    private static final List<String> PLACES =
            List.of("/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin");
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Pattern VERSION = Pattern.compile("(?:HAProxy|HA-Proxy) version (\\S+)");

    /** The most connections. Each takes two files, and HAProxy does not start where it may not have that many. */
    private static final int MAX_CONNECTIONS = 1_500;

    private final OwnProcess process;
    private final List<Endpoint> servers;
    private Endpoint endpoint;

    private HaProxy(OwnProcess process, List<Endpoint> servers) {
        this.process = process;
        this.servers = servers;
    }

    /** Why there cannot be one on this machine. */
    public static Optional<String> unavailable() {
        return find().isPresent()
                ? Optional.empty()
                : Optional.of("via=haproxy: there is no haproxy in " + String.join(", ", PLACES)
                        + "; install it (Debian: apt-get install haproxy), or remove the factor via");
    }

    private static Optional<Path> find() {
        return PLACES.stream()
                .map(directory -> Path.of(directory, PROGRAM))
                .filter(program -> Files.isRegularFile(program) && Files.isExecutable(program))
                .findFirst();
    }

    private static Path program() {
        return find().orElseThrow(() -> new ServerException(unavailable().orElseThrow()));
    }

    /**
     * The version of the installed program, such as {@code 2.6.12-1+deb12u1}.
     *
     * @throws ServerException if there is none, others may replace it, or it prints no version
     */
    public static String version() {
        Path program = program();
        Ownership.requireOfProgram(program);
        try {
            Process process = Subprocess.of(program.toString(), "-v")
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            // the output fits a pipe, so it can be read after the program has ended
            if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new ServerException(program + " -v has not ended within " + TIMEOUT.toSeconds() + " s");
            }
            try (InputStream out = process.getInputStream()) {
                String printed = new String(out.readAllBytes(), StandardCharsets.UTF_8);
                Matcher version = VERSION.matcher(printed);
                if (!version.find()) {
                    throw new ServerException(program + " -v does not print the version of an HAProxy: "
                            + printed.lines().findFirst().orElse("it printed nothing"));
                }
                return version.group(1);
            }
        } catch (IOException e) {
            throw new ServerException(program + " cannot be run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServerException("interrupted while reading the version of " + program, e);
        }
    }

    /**
     * Starts one.
     *
     * @param servers that have the same tables and the same login, at least one
     * @param prefix first words of the command, see {@link ServerLaunch}
     * @throws ServerException if it does not start, with the last lines of its log
     */
    public static HaProxy start(Path cache, List<Endpoint> servers, List<String> prefix) {
        Path program = program();
        OwnProcess process = OwnProcess.in(
                cache,
                NAME,
                new ServerLaunch(Optional.empty(), prefix, TIMEOUT),
                Process::destroy,
                log -> "Try " + program + " -v, or remove the factor via.");
        HaProxy proxy = new HaProxy(process, List.copyOf(servers));
        ServerStart.run(NAME, proxy::close, () -> process.listen(port -> proxy.listens(program, port)));
        return proxy;
    }

    private boolean listens(Path program, int port) throws IOException, InterruptedException {
        endpoint = servers.get(0).at(OwnProcess.HOST, port);
        Path configuration = process.directory().configuration();
        Files.writeString(configuration, configuration());
        process.spawn(List.of(program.toString(), "-db", "-f", configuration.toString()), "");
        return process.awaitLogin(port, log -> true, () -> accepts(port));
    }

    private static Optional<String> accepts(int port) {
        try {
            new Socket(OwnProcess.HOST, port).close();
            return Optional.empty();
        } catch (IOException notYet) {
            return Optional.of(String.valueOf(notYet.getMessage()));
        }
    }

    /** Idle connections stay open for longer than any run keeps them. */
    private String configuration() {
        List<String> lines = new ArrayList<>(List.of(
                "global",
                "  maxconn " + MAX_CONNECTIONS,
                "defaults",
                "  mode tcp",
                "  maxconn " + MAX_CONNECTIONS,
                "  timeout connect 10s",
                "  timeout client 20d",
                "  timeout server 20d",
                "  balance roundrobin",
                "listen store",
                "  bind " + endpoint.authority()));
        for (int i = 0; i < servers.size(); i++) {
            lines.add("  server s" + i + " " + servers.get(i).authority());
        }
        return String.join("\n", lines) + "\n";
    }

    /** Its address, with the servers' login. */
    public Endpoint endpoint() {
        return endpoint;
    }

    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.close();
    }
}
