package dev.blobmark.mysql.server.running;

import dev.blobmark.mysql.server.ServerException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Options for connecting to a running server, in addition to its address. As with the {@code mysql} client, they come
 * from the command line, then the option file; the password also from the environment, then a prompt. The first source
 * wins.
 *
 * @param given options of the command line, by their names in an option file such as {@code ssl-mode}
 * @param defaultsFile replaces {@code .my.cnf} in the home directory
 * @param home the user's home directory
 * @param otherPassword returns the password of an account that the option file has none for, if there is one
 * @param known what another process has read by {@link #read}: no file is read then
 */
public record ClientOptions(
        Map<String, String> given,
        Optional<Path> defaultsFile,
        Path home,
        Function<String, Optional<String>> otherPassword,
        Optional<Map<String, Optional<String>>> known) {

    /** Options that the command line accepts. The password is not one, because other users can read command lines. */
    public static final Set<String> COMMAND_LINE =
            Set.of("ssl-mode", "ssl-ca", "ssl-cert", "ssl-key", "get-server-public-key", "enable-cleartext-plugin");

    /** Groups that are read. An option that is repeated has its last value in the file, whatever its group. */
    private static final Set<String> GROUPS = Set.of("client", "mysql", "blobmark");

    private static final String OWN_GROUP = "blobmark";

    private static final Set<String> KNOWN = Set.of(
            "host",
            "port",
            "user",
            "password",
            "skip-password",
            "protocol",
            "ssl-mode",
            "ssl-ca",
            "ssl-cert",
            "ssl-key",
            "get-server-public-key",
            "enable-cleartext-plugin",
            "ssl",
            "skip-ssl",
            "ssl-verify-server-cert");

    /** Security options without support. Ignoring them would make a connection less secure than the user expects. */
    private static final Set<String> UNSUPPORTED =
            Set.of("ssl-capath", "ssl-crl", "ssl-crlpath", "ssl-fips-mode", "server-public-key-path");

    public ClientOptions {
        given = Map.copyOf(given);
        if (!COMMAND_LINE.containsAll(given.keySet())) {
            throw new IllegalArgumentException("not all of " + given.keySet() + " may be given on a command line");
        }
    }

    public ClientOptions(
            Map<String, String> given,
            Optional<Path> defaultsFile,
            Path home,
            Function<String, Optional<String>> otherPassword) {
        this(given, defaultsFile, home, otherPassword, Optional.empty());
    }

    /** No options: reads no file and no password. */
    public static ClientOptions none() {
        return new ClientOptions(Map.of(), Optional.empty(), Path.of("/nonexistent"), account -> Optional.empty());
    }

    /** The given options that apply only to a running server, as written on the command line. */
    public List<String> forRunningServers() {
        List<String> words = new ArrayList<>(
                given.keySet().stream().sorted().map(name -> "--" + name).toList());
        defaultsFile.ifPresent(file -> words.add("--defaults-file"));
        return words;
    }

    /** The options of the file and the command line, by name. An option without a value is empty. */
    public Map<String, Optional<String>> read() {
        if (known.isPresent()) {
            return Map.copyOf(known.get());
        }
        Map<String, Optional<String>> all = new HashMap<>();
        Path usual = home.resolve(".my.cnf");
        Optional<Path> file = defaultsFile.or(() -> Files.exists(usual) ? Optional.of(usual) : Optional.empty());
        file.ifPresent(from -> OptionFile.read(from).stream()
                .filter(option -> GROUPS.contains(option.group()))
                .forEach(option -> take(option, all)));
        given.forEach((name, value) -> all.put(name, Optional.of(value)));
        return all;
    }

    private static void take(OptionFile.Option option, Map<String, Optional<String>> all) {
        if (UNSUPPORTED.contains(option.name())) {
            throw new ServerException(option.place() + ": Blobmark does not support " + option.name()
                    + ". Use ssl-ca with one file of certificates, or name another file without this line with"
                    + " --defaults-file.");
        }
        if (KNOWN.contains(option.name())) {
            switch (option.name()) {
                case "skip-password" -> all.put("password", Optional.of(""));
                // the name in MariaDB's programs
                case "skip-ssl" -> all.put("ssl-mode", Optional.of("DISABLED"));
                case "ssl" -> all.put("ssl-mode", Optional.of(isOff(option) ? "DISABLED" : "REQUIRED"));
                case "ssl-verify-server-cert" ->
                    all.put("ssl-mode", Optional.of(isOff(option) ? "REQUIRED" : "VERIFY_IDENTITY"));
                default -> all.put(option.name(), option.value());
            }
        } else if (option.group().equals(OWN_GROUP)) {
            throw new ServerException(
                    option.place() + ": unknown option '" + option.name() + "' in [" + OWN_GROUP + "]; known are "
                            + String.join(", ", KNOWN.stream().sorted().toList()));
        }
    }

    private static boolean isOff(OptionFile.Option option) {
        return option.value().filter(value -> value.matches("(?i)0|off|false")).isPresent();
    }

    boolean hasLoginPaths() {
        return Files.exists(home.resolve(".mylogin.cnf"));
    }
}
