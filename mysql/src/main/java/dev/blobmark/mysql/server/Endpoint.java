package dev.blobmark.mysql.server;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.Properties;

/**
 * Where a server listens, and how to log in. The password is never printed.
 *
 * @param host a name or an address
 * @param port TCP port, 1 to 65535
 * @param sslMode encryption of connections that are not measured; a trial sets that of measured connections
 * @param tls the certificates of encrypted connections
 * @param authentication how the password may be sent
 */
public record Endpoint(
        String host,
        int port,
        String user,
        String password,
        SslMode sslMode,
        TlsMaterial tls,
        Authentication authentication) {

    public Endpoint {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(user, "user");
        Objects.requireNonNull(password, "password");
        Objects.requireNonNull(sslMode, "sslMode");
        Objects.requireNonNull(tls, "tls");
        Objects.requireNonNull(authentication, "authentication");
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port " + port + " is not between 1 and 65535");
        }
    }

    /** A server that Blobmark did not start, to which no password is sent in clear text. */
    public Endpoint(
            String host,
            int port,
            String user,
            String password,
            SslMode sslMode,
            TlsMaterial tls,
            boolean allowPublicKeyRetrieval) {
        this(host, port, user, password, sslMode, tls, Authentication.running(allowPublicKeyRetrieval, false));
    }

    /** A server on the loopback interface: unencrypted unless a trial says otherwise. */
    public Endpoint(String host, int port, String user, String password) {
        this(host, port, user, password, SslMode.DISABLED, TlsMaterial.NONE, true);
    }

    /** The server's kind in reports, which do not show the user's hosts. */
    public String kind() {
        return isRemote() ? Server.REMOTE : "address";
    }

    /**
     * Whether the host is another than this one. The addresses of this host's own interfaces are local, because the
     * system sends what is for them over the loopback interface. So is a name that cannot be resolved.
     */
    public boolean isRemote() {
        try {
            InetAddress address = InetAddress.getByName(host);
            return !address.isLoopbackAddress()
                    && !address.isAnyLocalAddress()
                    && NetworkInterface.getByInetAddress(address) == null;
        } catch (UnknownHostException | SocketException e) {
            return false;
        }
    }

    /** Host and port as in a URL, an IPv6 address in brackets. */
    public String authority() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /**
     * The properties with which MariaDB Connector/J logs in, including the password.
     *
     * @param mode any except {@link SslMode#PREFERRED}, which that driver does not have
     */
    public Properties mariaDbLogin(SslMode mode) {
        Properties login = new Properties();
        login.setProperty("user", user);
        login.setProperty("password", password);
        login.setProperty(
                "sslMode",
                switch (mode) {
                    case DISABLED -> "disable";
                    case REQUIRED -> "trust";
                    case VERIFY_CA -> "verify-ca";
                    case VERIFY_IDENTITY -> "verify-full";
                    case PREFERRED -> throw new IllegalArgumentException("PREFERRED must be resolved first");
                });
        login.setProperty("allowPublicKeyRetrieval", Boolean.toString(authentication.keyRetrieval()));
        authentication.serverKey().ifPresent(file -> login.setProperty("serverRsaPublicKeyFile", file));
        authentication.allowed(mode.isVerifying()).ifPresent(plugins -> login.setProperty("restrictedAuth", plugins));
        // refuse an untrusted certificate at once, also if authentication could confirm the server later
        login.setProperty("deferCertificateValidation", "false");
        tls.trustStore().ifPresent(store -> {
            login.setProperty("trustStore", store);
            login.setProperty("trustStoreType", TlsMaterial.STORE_TYPE);
            login.setProperty("trustStorePassword", tls.password());
            login.setProperty("fallbackToSystemTrustStore", "false");
        });
        tls.keyStore().ifPresent(store -> {
            login.setProperty("keyStore", store);
            login.setProperty("keyStoreType", TlsMaterial.STORE_TYPE);
            login.setProperty("keyStorePassword", tls.password());
        });
        return login;
    }

    public Endpoint with(SslMode mode) {
        return new Endpoint(host, port, user, password, mode, tls, authentication);
    }

    /** The same login at another address, such as that of a proxy in front of the server. */
    public Endpoint at(String otherHost, int otherPort) {
        return new Endpoint(otherHost, otherPort, user, password, sslMode, tls, authentication);
    }

    @Override
    public String toString() {
        return user + "@" + authority();
    }
}
