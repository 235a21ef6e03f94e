package dev.blobmark.mysql.server.running;

import dev.blobmark.mysql.server.SslMode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A running server as named on the command line: {@code mysql://user@host:3306/} or a JDBC URL. It can also name
 * several SQL nodes of one cluster, which have the same account. Missing parts come from the option file. It never
 * contains a password.
 *
 * @param places at least one; if there are several, each has a host
 */
public record ServerAddress(List<HostPort> places, Optional<String> user, Optional<SslMode> sslMode) {

    /** Host and port of one server. */
    record HostPort(Optional<String> host, Optional<Integer> port) {}

    private static final String FORM = "write mysql://USER@HOST:PORT/, jdbc:mysql://HOST:PORT/ or"
            + " jdbc:mariadb://HOST:PORT/; for several SQL nodes of one cluster, mysql://USER@HOST1:PORT1,HOST2:PORT2/";

    private static final String PLACE = "(\\[[0-9A-Fa-f:.]+(%[\\w.]+)?]|[\\w.-]*)(:(\\d{1,5}))?";

    private static final Pattern ONE_PLACE = Pattern.compile(PLACE);

    private static final Pattern ADDRESS = Pattern.compile("(?<scheme>(jdbc:)?(mysql|mariadb))://"
            + "((?<user>[^@/?]*)@)?(?<places>" + PLACE + "(," + PLACE + ")*)"
            + "(/(?<schema>[^?]*))?(\\?(?<parameters>.*))?");

    /** An account before each of several hosts, which would be mistaken for an account with a password. */
    private static final Pattern REPEATED_USER =
            Pattern.compile("[^?]*//([^@:,/?]*)@[^@,/?]*(,\\1@[^@,/?]*)+(/.*)?(\\?.*)?");

    public ServerAddress {
        places = List.copyOf(places);
    }

    /** Names of the modes in MariaDB's driver. MySQL's driver uses those of the client. */
    private static final Map<String, SslMode> MARIADB_MODES = Map.of(
            "disable", SslMode.DISABLED,
            "trust", SslMode.REQUIRED,
            "verify-ca", SslMode.VERIFY_CA,
            "verify-full", SslMode.VERIFY_IDENTITY);

    public static boolean isOne(String text) {
        return text.matches("(jdbc:)?\\w+:(?s).*//(?s).*");
    }

    /**
     * Parses an address. No message repeats it, because it might contain a password.
     *
     * @throws IllegalArgumentException if the text is not an address, contains a password, or sets what a study sets
     */
    public static ServerAddress parse(String text) {
        if (REPEATED_USER.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "all SQL nodes have the same account: name it once, before the first host, as in"
                            + " mysql://USER@HOST1:PORT1,HOST2:PORT2/");
        }
        if (text.matches("(?is).*[?&](password\\d?|pwd)=.*") || text.matches("[^?]*//[^/?]*:[^/?]*@.*")) {
            throw new IllegalArgumentException(
                    "everybody on this machine can read a password in an address, in the list of processes and in the"
                            + " shell's history: remove it, and change it. Put it into ~/.my.cnf"
                            + " ([client] password=…, chmod 600), or into the environment as BLOBMARK_PASSWORD");
        }
        Matcher parts = ADDRESS.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("this is not the address of a server: " + FORM);
        }
        if (parts.group("schema") != null && !parts.group("schema").isEmpty()) {
            throw new IllegalArgumentException(
                    "remove what follows the slash of the address: Blobmark uses its own schema");
        }
        Optional<String> user = given(parts.group("user"));
        Optional<SslMode> mode = Optional.empty();
        for (String parameter :
                given(parts.group("parameters")).map(all -> all.split("&")).orElse(new String[0])) {
            String name = parameter.replaceFirst("=.*", "");
            String value = parameter.contains("=") ? parameter.substring(name.length() + 1) : "";
            if (name.equals("user")) {
                user = given(value);
            } else if (name.equals("sslMode") || name.equals("ssl-mode")) {
                mode = Optional.of(MARIADB_MODES.containsKey(value) ? MARIADB_MODES.get(value) : SslMode.parse(value));
            } else {
                throw new IllegalArgumentException(
                        "remove '" + name + "' from the address: apart from user and sslMode,"
                                + " the study sets the options of drivers, so that reports show them");
            }
        }
        return new ServerAddress(places(parts.group("places")), user.map(ServerAddress::decoded), mode);
    }

    private static List<HostPort> places(String text) {
        List<HostPort> places = new ArrayList<>();
        for (String placeText : text.split(",", -1)) {
            Matcher parts = ONE_PLACE.matcher(placeText);
            if (!parts.matches() || placeText.isEmpty() && !text.isEmpty()) {
                throw new IllegalArgumentException("a host of the address is empty: " + FORM);
            }
            Optional<Integer> port = given(parts.group(4)).map(Integer::valueOf);
            port.filter(number -> number < 1 || number > 65535).ifPresent(number -> {
                throw new IllegalArgumentException("port " + number + " of the address is not between 1 and 65535");
            });
            HostPort place = new HostPort(given(parts.group(1)).map(host -> host.replaceAll("[\\[\\]]", "")), port);
            if (places.contains(place)) {
                throw new IllegalArgumentException("a host of the address is named twice: name each SQL node once");
            }
            places.add(place);
        }
        if (places.size() > 1 && places.stream().anyMatch(place -> place.host().isEmpty())) {
            throw new IllegalArgumentException("a host of the address is empty: " + FORM);
        }
        return places;
    }

    private static Optional<String> given(String part) {
        return Optional.ofNullable(part).filter(text -> !text.isEmpty());
    }

    /** Decodes percent signs. A plus sign is not an escape. */
    private static String decoded(String user) {
        return URLDecoder.decode(user.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
