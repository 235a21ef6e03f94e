package dev.blobmark.mysql.server;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How a password may be sent to a server. The server chooses the method of authentication, and it may be an impostor.
 * Therefore the client restricts the methods that it accepts.
 *
 * @param plugin the only method that is accepted, by the server's name for it; if empty, all methods except those that
 *     send the password in clear text
 * @param serverKey PEM file with the server's RSA key, which encrypts the password on connections without TLS
 * @param keyRetrieval whether an unencrypted connection may request that key from the server. An attacker between the
 *     two can substitute a key and read the password, so this is not safe on a shared network
 * @param clearText whether the password may be sent in clear text, over TLS, to a server that is not verified
 */
public record Authentication(
        Optional<String> plugin, Optional<String> serverKey, boolean keyRetrieval, boolean clearText) {

    /**
     * Methods of the MariaDB drivers (Connector/J 4.0.0, R2DBC 1.4.0) except {@code mysql_clear_password} and
     * {@code dialog}, which send the password in clear text. {@code caching_sha2_password} and {@code sha256_password}
     * also do so over TLS. They are included because most accounts of MySQL 8 need them; the {@code mysql} client
     * accepts them too.
     */
    private static final String NO_CLEAR_TEXT =
            "mysql_native_password,caching_sha2_password,sha256_password,client_ed25519,parsec,auth_gssapi_client";

    /** Methods of MySQL Connector/J 26.10.0, whose option lists the methods to reject. */
    private static final List<String> CONNECTOR_J_METHODS = List.of(
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
            throw new IllegalArgumentException(
                    "a server with a single method of authentication was started by Blobmark:"
                            + " its key is not requested, and no password is sent to it in clear text");
        }
    }

    /** For a server that Blobmark started. */
    public static Authentication own(String plugin, Optional<String> serverKey) {
        return new Authentication(Optional.of(plugin), serverKey, false, false);
    }

    /** For a server that Blobmark did not start. */
    public static Authentication running(boolean keyRetrieval, boolean clearText) {
        return new Authentication(Optional.empty(), Optional.empty(), keyRetrieval, clearText);
    }

    /**
     * The methods that the MariaDB drivers may accept, separated by commas; empty for all.
     *
     * @param isVerified whether the server's certificate is verified
     */
    public Optional<String> allowed(boolean isVerified) {
        return plugin.or(() -> isVerified || clearText ? Optional.empty() : Optional.of(NO_CLEAR_TEXT));
    }

    /** The methods that Connector/J must reject, separated by commas; empty for none. */
    public Optional<String> disabled(boolean isVerified) {
        if (plugin.isPresent()) {
            return Optional.of(CONNECTOR_J_METHODS.stream()
                    .filter(method -> !method.equals(plugin.get()))
                    .collect(Collectors.joining(",")));
        }
        return isVerified || clearText ? Optional.empty() : Optional.of("mysql_clear_password,mysql_old_password");
    }
}
