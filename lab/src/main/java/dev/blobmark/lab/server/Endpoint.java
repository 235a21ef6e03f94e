package dev.blobmark.lab.server;

import java.util.Objects;

/**
 * Where a server listens and how to get in. The password is never printed.
 *
 * @param port TCP port, 1 to 65535
 */
public record Endpoint(String host, int port, String user, String password) {

    public Endpoint {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(user, "user");
        Objects.requireNonNull(password, "password");
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port " + port + " is not between 1 and 65535");
        }
    }

    @Override
    public String toString() {
        return user + "@" + host + ":" + port;
    }
}
