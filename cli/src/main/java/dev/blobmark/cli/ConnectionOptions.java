package dev.blobmark.cli;

import dev.blobmark.lab.server.running.ClientOptions;
import dev.blobmark.lab.server.source.Servers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * The connection to a running server, with the option names of the {@code mysql} client. No option takes a password.
 */
final class ConnectionOptions {

    @Option(
            names = "--defaults-file",
            paramLabel = "FILE",
            description = "Option file with user and password of a running server; default: ~/.my.cnf.")
    private Path defaultsFile;

    @Option(
            names = "--ssl-mode",
            paramLabel = "MODE",
            description =
                    "Minimum encryption of all connections to a running server: DISABLED, PREFERRED (the default),"
                            + " REQUIRED, VERIFY_CA, VERIFY_IDENTITY.")
    private String sslMode;

    @Option(
            names = "--ssl-ca",
            paramLabel = "FILE",
            description = "Certificates of the authorities that may sign the server's; PEM.")
    private String sslCa;

    @Option(names = "--ssl-cert", paramLabel = "FILE", description = "The client's own certificate; PEM.")
    private String sslCert;

    @Option(names = "--ssl-key", paramLabel = "FILE", description = "The key of --ssl-cert; PEM, PKCS #8.")
    private String sslKey;

    /** The first password that was asked for. */
    private Optional<String> asked = Optional.empty();

    @Option(
            names = "--get-server-public-key",
            description = "Trust the public key with which a server wants the password to be encrypted without TLS.")
    private boolean getServerPublicKey;

    @Option(
            names = "--enable-cleartext-plugin",
            description =
                    "Send the password in clear text, over TLS, to a server that requires it (PAM, LDAP), also without"
                            + " --ssl-mode VERIFY_CA or VERIFY_IDENTITY.")
    private boolean enableCleartextPlugin;

    /**
     * The server that {@code --server} names.
     *
     * @param isAsking whether to ask for a password that is given in no other way
     * @throws ParameterException if it names none
     */
    Servers.Source source(String server, boolean isAsking, CommandSpec spec) {
        return source("--server", server, isAsking, spec);
    }

    /**
     * The running server that {@code --data-server} names; the options are for it, and for that of {@code --server}
     * where this is a running one too.
     *
     * @throws ParameterException if it names none
     */
    Servers.Source dataSource(String server, CommandSpec spec) {
        Servers.Source source = source("--data-server", server, true, spec);
        if (source.isOwn()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--data-server: '" + server
                            + "' is a server that Blobmark starts, and has no table of yours; name a"
                            + " running one, as in --data-server mysql://USER@HOST:PORT/");
        }
        return source;
    }

    /** A server that is started for the run; these options do not apply to it. */
    Servers.Source ownSource(String server, CommandSpec spec) {
        return parsed("--server", server, ClientOptions.none(), spec);
    }

    private Servers.Source source(String option, String server, boolean isAsking, CommandSpec spec) {
        Map<String, String> given = new HashMap<>();
        given.put("ssl-mode", sslMode);
        given.put("ssl-ca", sslCa);
        given.put("ssl-cert", sslCert);
        given.put("ssl-key", sslKey);
        given.put("get-server-public-key", getServerPublicKey ? "ON" : null);
        given.put("enable-cleartext-plugin", enableCleartextPlugin ? "ON" : null);
        given.values().removeIf(value -> value == null);
        ClientOptions client = new ClientOptions(
                given,
                Optional.ofNullable(defaultsFile),
                Environment.home(),
                account -> Environment.password().or(() -> isAsking ? ask(account) : Optional.empty()));
        return parsed(option, server, client, spec);
    }

    private Optional<String> ask(String account) {
        Optional<String> answer = Terminal.password(account);
        asked = asked.or(() -> answer);
        return answer;
    }

    /** The password for a process that may be on another host: that of a variable, or else the first one asked for. */
    Optional<String> password() {
        return Environment.password().or(() -> asked);
    }

    /** The contents of the option file and the certificates, by option, for a process that may be on another host. */
    Map<String, String> files() throws IOException {
        Map<String, String> files = new HashMap<>();
        Path usual = Environment.home().resolve(".my.cnf");
        if (defaultsFile != null || Files.isReadable(usual)) {
            files.put("--defaults-file", Files.readString(defaultsFile != null ? defaultsFile : usual));
        }
        Map<String, String> certificates = new HashMap<>();
        certificates.put("--ssl-ca", sslCa);
        certificates.put("--ssl-cert", sslCert);
        certificates.put("--ssl-key", sslKey);
        for (Map.Entry<String, String> certificate : certificates.entrySet()) {
            if (certificate.getValue() != null) {
                files.put(certificate.getKey(), Files.readString(Path.of(certificate.getValue())));
            }
        }
        return files;
    }

    private static Servers.Source parsed(String option, String server, ClientOptions client, CommandSpec spec) {
        try {
            return Servers.parse(server, client, Environment.searchPath());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage());
        }
    }
}
