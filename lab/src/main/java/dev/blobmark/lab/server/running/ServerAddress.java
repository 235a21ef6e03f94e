package dev.blobmark.lab.server.running;

import dev.blobmark.lab.server.SslMode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A running server as named on the command line: {@code mysql://user@host:3306/} or a JDBC URL; or several SQL nodes of one
 * cluster, which the same account enters. What it leaves out comes from the option file. It never holds a password.
 *
 * @param places at least one; of several, each has a host
 */
public record ServerAddress(List<Place> places, Optional<String> user, Optional<SslMode> sslMode) {

    /** Where one server listens. */
    record Place(Optional<String> host, Optional<Integer> port) {}

    private static final String FORM = "write mysql://USER@HOST:PORT/, jdbc:mysql://HOST:PORT/ or"
            + " jdbc:mariadb://HOST:PORT/; of several SQL nodes of one cluster mysql://USER@HOST1:PORT1,HOST2:PORT2/";

    private static final String PLACE = "(\\[[0-9A-Fa-f:.]+(%[\\w.]+)?]|[\\w.-]*)(:(\\d{1,5}))?";

    private static final Pattern ONE_PLACE = Pattern.compile(PLACE);

    private static final Pattern ADDRESS = Pattern.compile("(?<scheme>mysql|jdbc:mysql|jdbc:mariadb)://"
            + "((?<user>[^@/?]*)@)?(?<places>" + PLACE + "(," + PLACE + ")*)"
            + "(/(?<schema>[^?]*))?(\\?(?<parameters>.*))?");

    /** The account before each of several hosts, where it would be taken for one with a password. */
    private static final Pattern USER_AGAIN =
            Pattern.compile("[^?]*//([^@:,/?]*)@[^@,/?]*(,\\1@[^@,/?]*)+(/.*)?(\\?.*)?");

    public ServerAddress {
        places = List.copyOf(places);
    }

    /** A JDBC driver's words for the modes; MySQL's driver has those of the client. */
    private static final Map<String, SslMode> MARIADB_MODES = Map.of(
            "disable", SslMode.DISABLED,
            "trust", SslMode.REQUIRED,
            "verify-ca", SslMode.VERIFY_CA,
            "verify-full", SslMode.VERIFY_IDENTITY);

    public static boolean isOne(String text) {
        return text.matches("(jdbc:)?\\w+:(?s).*//(?s).*");
    }

    /**
     * Reads an address. No message repeats it, as it may hold a password in spite of all.
     *
     * @throws IllegalArgumentException if it is none, holds a password, or says what a study says
     */
    public static ServerAddress parse(String text) {
        if (USER_AGAIN.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "one account enters all SQL nodes: name it once, before the first host, as in"
                            + " mysql://USER@HOST1:PORT1,HOST2:PORT2/");
        }
        if (text.matches("(?is).*[?&](password\\d?|pwd)=.*") || text.matches("[^?]*//[^/?]*:[^/?]*@.*")) {
            throw new IllegalArgumentException(
                    "a password in an address can be read by everybody on this machine, in the"
                            + " list of processes and in the shell's history: take it out, and change it. Put it into ~/.my.cnf"
                            + " ([client] password=…, chmod 600), or into the environment as BLOBMARK_PASSWORD");
        }
        Matcher parts = ADDRESS.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("this is no address of a server: " + FORM);
        }
        if (parts.group("schema") != null && !parts.group("schema").isEmpty()) {
            throw new IllegalArgumentException(
                    "leave out what follows the slash of the address: Blobmark makes a schema of its own");
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
                throw new IllegalArgumentException("leave out '" + name + "' of the address: beside user and sslMode,"
                        + " what drivers do is said by the study, so that its report can tell it");
            }
        }
        return new ServerAddress(places(parts.group("places")), user.map(ServerAddress::decoded), mode);
    }

    private static List<Place> places(String text) {
        List<Place> places = new ArrayList<>();
        for (String one : text.split(",", -1)) {
            Matcher parts = ONE_PLACE.matcher(one);
            if (!parts.matches() || one.isEmpty() && !text.isEmpty()) {
                throw new IllegalArgumentException("a host of the address is empty: " + FORM);
            }
            Optional<Integer> port = given(parts.group(4)).map(Integer::valueOf);
            port.filter(number -> number < 1 || number > 65535).ifPresent(number -> {
                throw new IllegalArgumentException("port " + number + " of the address is not between 1 and 65535");
            });
            Place place = new Place(given(parts.group(1)).map(host -> host.replaceAll("[\\[\\]]", "")), port);
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

    /** Percent signs stand for other characters; a plus sign for itself. */
    private static String decoded(String user) {
        return URLDecoder.decode(user.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
