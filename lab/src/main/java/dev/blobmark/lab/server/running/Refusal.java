package dev.blobmark.lab.server.running;

import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.SslMode;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** Why a running server did not accept a login. */
final class Refusal {

    private static final int NOT_ALLOWED_HOST = 1130;
    private static final int INSECURE_TRANSPORT = 3159;
    private static final int TOO_MANY_CONNECTIONS = 1040;

    private Refusal() {}

    /** Says what went wrong and what to do, in words that hold no password, whatever the driver said. */
    static ServerException explained(SQLException e, Login login) {
        String at = login.host() + ":" + login.port();
        String said = String.valueOf(e.getMessage()).replaceAll("^\\(conn=\\d+\\) ", "");
        if (!login.password().isEmpty()) {
            said = said.replace(login.password(), "…");
        }
        String words;
        if (hasCause(e, UnknownHostException.class)) {
            words = "there is no host '" + login.host() + "': correct its name, or name its address";
        } else if (hasCause(e, SSLException.class)) {
            words = at + " was reached, but not by TLS (" + innermost(e) + "). With --ssl-mode " + login.sslMode()
                    + (login.sslMode().isVerifying()
                            ? " the server's certificate must be signed by one of --ssl-ca"
                                    + (login.sslMode() == SslMode.VERIFY_IDENTITY
                                            ? " and made out to '" + login.host() + "'"
                                            : "")
                                    + ": name the right file, such as the ca.pem of the server's data directory, or give"
                                    + " a lower --ssl-mode"
                            : ": update the server's TLS, or use --ssl-mode DISABLED on a network that only you are on");
        } else if (hasCause(e, ConnectException.class)) {
            words = "nothing listens at " + at + ": start the server, correct host and port, or see whether its"
                    + " bind_address keeps it to another interface";
        } else if (hasCause(e, SocketTimeoutException.class) || hasCause(e, NoRouteToHostException.class)) {
            words = at + " does not answer: see whether host and port are right and no firewall is between";
        } else if (isWithoutTls(e)) {
            words = at + " does not offer TLS, and --ssl-mode " + login.sslMode()
                    + " wants it: set ssl_cert and ssl_key there, or use --ssl-mode DISABLED on a network that only you"
                    + " are on";
        } else if (said.contains("restrict authentication plugin")) {
            words = at + " wants the password in clear text (" + said.replaceAll("(?s).*'(\\w+)'.*", "$1")
                    + "), and has not proved that it is your server: nothing was sent. Use --ssl-mode VERIFY_IDENTITY,"
                    + " with --ssl-ca if Java does not know who signed its certificate; or --enable-cleartext-plugin on a"
                    + " network that only you are on";
        } else if (said.contains("RSA public key")) {
            words = login.user() + " at " + at + " logs in by caching_sha2_password or sha256_password, which sends the"
                    + " password by TLS only: use --ssl-mode REQUIRED; or, on a network that only you are on,"
                    + " --get-server-public-key";
        } else if (e.getErrorCode() == NOT_ALLOWED_HOST) {
            words = at + " lets nobody in from this host (" + said + "): CREATE USER '" + login.user()
                    + "'@'…' there, or" + " run Blobmark on a host that it lets in";
        } else if (e.getErrorCode() == INSECURE_TRANSPORT) {
            words = at + " takes encrypted connections only (require_secure_transport): use --ssl-mode REQUIRED";
        } else if (e.getErrorCode() == TOO_MANY_CONNECTIONS) {
            words = at + " has no connection left (" + said + "): wait, or raise its max_connections";
        } else if (said.contains("does not support authentication protocol")) {
            // of an account that it does not have, MySQL names some plugin, so that nobody learns which there are
            words = at + " lets '" + login.user() + "' not in (" + said
                    + "): there is no such account, or it logs in by a"
                    + " plugin that Blobmark does not know; caching_sha2_password is MySQL's own";
        } else if (String.valueOf(e.getSQLState()).startsWith("28")) {
            words = at + " lets '" + login.user() + "' not in (" + said + "); " + login.passwordFrom();
        } else {
            words = "cannot connect to " + at + " as " + login.user() + ": " + said;
        }
        return new ServerException(words + ".", e);
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
