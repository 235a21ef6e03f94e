package dev.blobmark.mysql.server;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Version number of a MySQL or MariaDB. Versions of one product can be compared. */
public record ServerVersion(int major, int minor, int patch) implements Comparable<ServerVersion> {

    /** The oldest MySQL that Blobmark supports. */
    public static final ServerVersion MYSQL = new ServerVersion(8, 0, 0);

    /** The oldest MariaDB that Blobmark supports. */
    public static final ServerVersion MARIADB = new ServerVersion(10, 6, 0);

    private static final Pattern NUMBERS = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})(?:\\.(\\d{1,4}))?");

    /** Reads the first version number of a text such as {@code 9.7.4-cluster} or {@code 11.4.5-MariaDB}. */
    public static ServerVersion parse(String text) {
        Matcher numbers = NUMBERS.matcher(text);
        if (!numbers.find()) {
            throw new ServerException(
                    "'" + text + "' is not a version of MySQL or MariaDB: name a server that is one of these");
        }
        int patch = numbers.group(3) == null ? 0 : Integer.parseInt(numbers.group(3));
        return new ServerVersion(Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2)), patch);
    }

    public boolean isBefore(ServerVersion other) {
        return compareTo(other) < 0;
    }

    @Override
    public int compareTo(ServerVersion other) {
        return Comparator.comparingInt(ServerVersion::major)
                .thenComparingInt(ServerVersion::minor)
                .thenComparingInt(ServerVersion::patch)
                .compare(this, other);
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
