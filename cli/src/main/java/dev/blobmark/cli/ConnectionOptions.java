package dev.blobmark.cli;

import dev.blobmark.cli.shards.ShardOrder;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.server.running.ClientOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * The connection to a running server, with the option names of the {@code mysql} client. No option takes a password.
 */
final class ConnectionOptions {

    private static final List<String> CERTIFICATES = List.of("ssl-ca", "ssl-cert", "ssl-key");

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
        return parsed(option, server, client(isAsking), spec);
    }

    private ClientOptions client(boolean isAsking) {
        Map<String, String> given = new HashMap<>();
        given.put("ssl-mode", sslMode);
        given.put("ssl-ca", sslCa);
        given.put("ssl-cert", sslCert);
        given.put("ssl-key", sslKey);
        given.put("get-server-public-key", getServerPublicKey ? "ON" : null);
        given.put("enable-cleartext-plugin", enableCleartextPlugin ? "ON" : null);
        given.values().removeIf(value -> value == null);
        return new ClientOptions(
                given,
                Optional.ofNullable(defaultsFile),
                Variables.home(),
                account -> Variables.password().or(() -> isAsking ? ask(account) : Optional.empty()),
                Variables.connectionOptions());
    }

    private Optional<String> ask(String account) {
        Optional<String> answer = Terminal.password(account);
        asked = asked.or(() -> answer);
        return answer;
    }

    /** The password for a process that may be on another host: that of a variable, or else the first one asked for. */
    Optional<String> password() {
        return Variables.password().or(() -> asked);
    }

    /** What a process that may be on another host needs of these options and of the option file. */
    ShardOrder.ShardLogin forProcess() throws IOException {
        Map<String, Optional<String>> all = client(false).read();
        Map<String, String> certificates = new HashMap<>();
        for (String name : CERTIFICATES) {
            Optional<String> file = all.getOrDefault(name, Optional.empty()).filter(value -> !value.isEmpty());
            if (file.isPresent()) {
                certificates.put(name, Files.readString(Path.of(file.get())));
            }
        }
        return new ShardOrder.ShardLogin(all, certificates);
    }

    private static Servers.Source parsed(String option, String server, ClientOptions client, CommandSpec spec) {
        try {
            return Servers.parse(server, client, Variables.searchPath());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage());
        }
    }
}
