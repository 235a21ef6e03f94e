package dev.blobmark.mysql.server.running;

import dev.blobmark.mysql.server.Authentication;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.SslMode;
import dev.blobmark.mysql.server.TlsMaterial;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The address and account of a running server, complete but not yet used.
 *
 * @param sslMode as requested
 * @param passwordFrom origin of the password, a clause for messages
 */
public record Login(
        String host,
        int port,
        String user,
        String password,
        String passwordFrom,
        SslMode sslMode,
        Optional<Path> ca,
        Optional<Path> certificate,
        Optional<Path> key,
        Authentication authentication) {

    /**
     * A login for each host of an address. All have the same account and password.
     *
     * @throws ServerException if the option file requires something that is not possible
     */
    public static List<Login> of(ServerAddress address, ClientOptions options) {
        Map<String, Optional<String>> found = options.read();
        String protocol = value(found, "protocol").orElse("tcp");
        if (!protocol.equalsIgnoreCase("tcp")) {
            throw new ServerException("the option file says protocol=" + protocol
                    + ", which the JDBC drivers do not support: name host and port, as in"
                    + " --server mysql://127.0.0.1:3306/, and write protocol=tcp into the group [blobmark]");
        }
        String user = address.user().or(() -> value(found, "user")).orElseGet(() -> System.getProperty("user.name"));
        List<HostAndPort> places = address.places().stream()
                .map(place -> new HostAndPort(
                        place.host().or(() -> value(found, "host")).orElse("localhost"),
                        place.port().orElseGet(() -> port(value(found, "port").orElse("3306")))))
                .toList();
        Optional<String> other = found.containsKey("password")
                        && found.get("password").isPresent()
                ? Optional.empty()
                : options.otherPassword()
                        .apply(user + "@"
                                + places.stream().map(HostAndPort::toString).collect(Collectors.joining(",")));
        Optional<String> filed = found.getOrDefault("password", Optional.empty());
        return places.stream()
                .map(place -> new Login(
                        place.host(),
                        place.port(),
                        user,
                        filed.or(() -> other).orElse(""),
                        filed.isPresent()
                                ? "the password is from the option file"
                                : other.isPresent()
                                        ? "the password is from the environment or the prompt"
                                        : "no password was given: put one into ~/.my.cnf ([client] password=…, chmod"
                                                + " 600) or into the environment as BLOBMARK_PASSWORD"
                                                + (options.hasLoginPaths()
                                                        ? " (login paths, ~/.mylogin.cnf, are not read)"
                                                        : ""),
                        address.sslMode()
                                .or(() -> value(found, "ssl-mode").map(Login::mode))
                                .orElse(SslMode.PREFERRED),
                        value(found, "ssl-ca").map(Path::of),
                        value(found, "ssl-cert").map(Path::of),
                        value(found, "ssl-key").map(Path::of),
                        Authentication.running(
                                isOn(found, "get-server-public-key"), isOn(found, "enable-cleartext-plugin"))))
                .toList();
    }

    private record HostAndPort(String host, int port) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /** Whether an option is set and not turned off. Without a value it is on. */
    private static boolean isOn(Map<String, Optional<String>> found, String name) {
        return found.containsKey(name) && !found.get(name).orElse("1").matches("(?i)0|off|false");
    }

    private static Optional<String> value(Map<String, Optional<String>> found, String name) {
        return found.getOrDefault(name, Optional.empty()).filter(value -> !value.isEmpty());
    }

    private static SslMode mode(String word) {
        try {
            return SslMode.parse(word);
        } catch (IllegalArgumentException e) {
            throw new ServerException(e.getMessage(), e);
        }
    }

    private static int port(String text) {
        if (!text.matches("\\d{1,5}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > 65535) {
            throw new ServerException("the option file says port=" + text + "; a port is a number from 1 to 65535");
        }
        return Integer.parseInt(text);
    }

    @Override
    public String toString() {
        return user + "@" + host + ":" + port;
    }

    /** Whether the server is on another host. */
    public boolean isRemote() {
        return endpoint(TlsMaterial.NONE).isRemote();
    }

    Endpoint endpoint(TlsMaterial tls) {
        return new Endpoint(host, port, user, password, sslMode, tls, authentication);
    }
}
