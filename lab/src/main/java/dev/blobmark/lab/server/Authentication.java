package dev.blobmark.lab.server;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How a password may be sent to a server. The server chooses the method of authentication, and a server may be another one than its
 * user thinks: so the client says which methods it takes part in.
 *
 * @param plugin the only method that is taken part in, as the server calls it; if empty, all but those that send the password as it is
 * @param serverKey PEM file of the RSA key that the server is known to have, for sending the password without TLS
 * @param keyRetrieval whether an unencrypted connection may ask the server for that key. Somebody between the two could give a key of
 *     his own and read the password, so not over a network that others are on
 * @param clearText whether the password may be sent as it is, by TLS, to a server that is not verified
 */
public record Authentication(
        Optional<String> plugin, Optional<String> serverKey, boolean keyRetrieval, boolean clearText) {

    /**
     * Methods of the MariaDB drivers (Connector/J 4.0.0, R2DBC 1.4.0) but {@code mysql_clear_password} and {@code dialog}, which send the
     * password as it is. {@code caching_sha2_password} and {@code sha256_password} do so as well by TLS: leaving them out would lock
     * out most accounts of MySQL 8, and the {@code mysql} client takes part in them too.
     */
    private static final String NOT_IN_CLEAR =
            "mysql_native_password,caching_sha2_password,sha256_password,client_ed25519,parsec,auth_gssapi_client";

    /** Of MySQL Connector/J 26.10.0, which takes a list of what it is not to take part in. */
    private static final List<String> OF_CONNECTOR_J = List.of(
            "mysql_native_password",
            "mysql_clear_password",
            "sha256_password",
            "caching_sha2_password",
            "mysql_old_password",
            "authentication_ldap_sasl_client",
            "authentication_kerberos_client",
            "authentication_oci_client",
            "authentication_webauthn_client",
            "authentication_openid_connect_client");

    public Authentication {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(serverKey, "serverKey");
        if (plugin.isPresent() && (keyRetrieval || clearText)) {
            throw new IllegalArgumentException("a server with one method of authentication is one of Blobmark's own: it"
                    + " is neither asked for its key nor sent a password in clear text");
        }
    }

    /** Of a server of Blobmark's own. */
    public static Authentication own(String plugin, Optional<String> serverKey) {
        return new Authentication(Optional.of(plugin), serverKey, false, false);
    }

    /** Of a server that runs already. */
    public static Authentication running(boolean keyRetrieval, boolean clearText) {
        return new Authentication(Optional.empty(), Optional.empty(), keyRetrieval, clearText);
    }

    /**
     * The methods that the MariaDB drivers may take part in, separated by commas; empty for all.
     *
     * @param isVerified whether the server proves by its certificate who it is
     */
    public Optional<String> allowed(boolean isVerified) {
        return plugin.or(() -> isVerified || clearText ? Optional.empty() : Optional.of(NOT_IN_CLEAR));
    }

    /** The methods that Connector/J may not take part in, separated by commas; empty for none. */
    public Optional<String> disabled(boolean isVerified) {
        if (plugin.isPresent()) {
            return Optional.of(OF_CONNECTOR_J.stream()
                    .filter(method -> !method.equals(plugin.get()))
                    .collect(Collectors.joining(",")));
        }
        return isVerified || clearText ? Optional.empty() : Optional.of("mysql_clear_password,mysql_old_password");
    }
}
