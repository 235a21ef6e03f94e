package dev.blobmark.mysql.server.running;

import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.SslMode;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** Explains why a running server did not accept a login. */
final class Refusal {

    private static final int NOT_ALLOWED_HOST = 1130;
    private static final int INSECURE_TRANSPORT = 3159;
    private static final int TOO_MANY_CONNECTIONS = 1040;

    private Refusal() {}

    /** An error with the cause and the remedy, from which the password is removed. */
    static ServerException explained(SQLException e, Login login) {
        String at = login.host() + ":" + login.port();
        String reason = String.valueOf(e.getMessage()).replaceAll("^\\(conn=\\d+\\) ", "");
        if (!login.password().isEmpty()) {
            reason = reason.replace(login.password(), "…");
        }
        String message;
        if (hasCause(e, UnknownHostException.class)) {
            message = "there is no host '" + login.host() + "': correct its name, or give its address";
        } else if (hasCause(e, SSLException.class)) {
            message = at + " was reached, but the TLS connection failed (" + innermost(e) + "). With --ssl-mode "
                    + login.sslMode()
                    + (login.sslMode().isVerifying()
                            ? " the server's certificate must be signed by an authority of --ssl-ca"
                                    + (login.sslMode() == SslMode.VERIFY_IDENTITY
                                            ? " and issued for '" + login.host() + "'"
                                            : "")
                                    + ": name the right file, such as the ca.pem of the server's data directory, or use"
                                    + " a weaker --ssl-mode"
                            : ": update the server's TLS, or use --ssl-mode DISABLED on a private network");
        } else if (hasCause(e, ConnectException.class)) {
            message = "nothing listens at " + at + ": start the server, correct host and port, or check whether its"
                    + " bind_address is another interface";
        } else if (hasCause(e, SocketTimeoutException.class) || hasCause(e, NoRouteToHostException.class)) {
            message = at + " does not answer: check host, port and firewalls";
        } else if (isWithoutTls(e)) {
            message = at + " does not offer TLS, which --ssl-mode " + login.sslMode()
                    + " requires: set ssl_cert and ssl_key on the server, or use --ssl-mode DISABLED on a private network";
        } else if (reason.contains("restrict authentication plugin")) {
            message = at + " requests the password in clear text (" + reason.replaceAll("(?s).*'(\\w+)'.*", "$1")
                    + "), but is not verified: nothing was sent. Use --ssl-mode VERIFY_IDENTITY, with --ssl-ca if Java"
                    + " does not trust the signer of its certificate; or --enable-cleartext-plugin on a private network";
        } else if (reason.contains("RSA public key")) {
            message = login.user() + " at " + at + " logs in with caching_sha2_password or sha256_password, which sends"
                    + " the password only over TLS: use --ssl-mode REQUIRED; or, on a private network,"
                    + " --get-server-public-key";
        } else if (e.getErrorCode() == NOT_ALLOWED_HOST) {
            message = at + " accepts no logins from this host (" + reason + "): CREATE USER '" + login.user()
                    + "'@'…' there, or run Blobmark on a host that it accepts";
        } else if (e.getErrorCode() == INSECURE_TRANSPORT) {
            message = at + " accepts only encrypted connections (require_secure_transport): use --ssl-mode REQUIRED";
        } else if (e.getErrorCode() == TOO_MANY_CONNECTIONS) {
            message = at + " has no connection left (" + reason + "): wait, or raise its max_connections";
        } else if (reason.contains("does not support authentication protocol")) {
            // for an unknown account MySQL names an arbitrary plugin, so as not to reveal which accounts exist
            message = refused(at, login, reason)
                    + ": there is no such account, or its plugin is not supported; caching_sha2_password is MySQL's"
                    + " default";
        } else if (String.valueOf(e.getSQLState()).startsWith("28")) {
            message = refused(at, login, reason) + "; " + login.passwordFrom();
        } else {
            message = "cannot connect to " + at + " as " + login.user() + ": " + reason;
        }
        return new ServerException(message + ".", e);
    }

    private static String refused(String at, Login login, String reason) {
        return at + " refused the login of '" + login.user() + "' (" + reason + ")";
    }

    static boolean isWithoutTls(SQLException e) {
        return String.valueOf(e.getMessage()).contains("ssl not enabled in the server");
    }

    private static boolean hasCause(Throwable e, Class<? extends Throwable> type) {
        return Stream.iterate(e, t -> t != null, Throwable::getCause).anyMatch(type::isInstance);
    }

    private static String innermost(Throwable e) {
        return Stream.iterate(e, t -> t != null, Throwable::getCause)
                .reduce((outer, inner) -> inner)
                .orElse(e)
                .getMessage();
    }
}
