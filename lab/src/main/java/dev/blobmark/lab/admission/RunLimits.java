package dev.blobmark.lab.admission;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a run may do to a server, as the user says.
 *
 * @param schemaNamed the schema to work in, if the user named one
 * @param maxBytes how many application bytes the run may load, over all its tables; empty for {@link #USUAL_MAX_BYTES} on a
 *     server that Blobmark did not start, and for no limit on one that it did
 * @param allowReplicatedWrites whether loading may be written to the binary log, or to the other members of a cluster
 * @param maxLoad over which the run pauses; empty for {@link LoadLimits#USUAL} on a server that Blobmark did not start, and
 *     none on one that it did
 * @param criticalLoad over which the run ends
 */
public record RunLimits(
        Optional<String> schemaNamed,
        OptionalLong maxBytes,
        boolean allowReplicatedWrites,
        Optional<LoadLimits> maxLoad,
        LoadLimits criticalLoad) {

    public static final String DEFAULT_SCHEMA = "blobmark";

    /** Application bytes that a run may load onto a server that Blobmark did not start, unless the user says otherwise. */
    public static final long USUAL_MAX_BYTES = 10L << 30;

    public static final RunLimits DEFAULT =
            new RunLimits(Optional.empty(), OptionalLong.empty(), false, Optional.empty(), LoadLimits.NONE);

    private static final Pattern AMOUNT = Pattern.compile("(\\d{1,6}) ?([KMGT]?B)|(\\d{1,18})");

    private static final List<String> UNITS = List.of("B", "KB", "MB", "GB", "TB");

    private static final Set<String> OF_THE_SERVER = Set.of("mysql", "sys", "information_schema", "performance_schema");

    public RunLimits {
        Objects.requireNonNull(maxLoad, "maxLoad");
        Objects.requireNonNull(criticalLoad, "criticalLoad");
        schemaNamed.ifPresent(RunLimits::checkSchema);
        if (maxBytes.isPresent() && maxBytes.getAsLong() < 1) {
            throw new IllegalArgumentException("at most " + maxBytes.getAsLong() + " bytes: it must be 1 or more");
        }
    }

    /** A lock is named after the schema, and MySQL takes 64 characters for it. */
    private static void checkSchema(String name) {
        if (!name.matches("[A-Za-z0-9_$]{1,48}")) {
            throw new IllegalArgumentException(
                    "'" + name + "' is no name for a schema here: use 1 to 48 of letters, digits, _ and $");
        }
        if (OF_THE_SERVER.contains(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("'" + name + "' is a schema of the server itself; use another name");
        }
    }

    /**
     * Reads an amount from the command line: {@code 2GB}, {@code 500MB}; a KB is 1024 bytes, as in sizes of values.
     *
     * @throws IllegalArgumentException with the reason and the mend
     */
    public static long parseBytes(String text) {
        Matcher amount = AMOUNT.matcher(text);
        if (!amount.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no amount; write a whole number of bytes, KB, MB, GB or TB: 500MB or 2GB");
        }
        return amount.group(3) != null
                ? Long.parseLong(amount.group(3))
                : Long.parseLong(amount.group(1)) << 10 * UNITS.indexOf(amount.group(2));
    }

    /** The same, with the schema's name as the server keeps it. */
    RunLimits on(Map<String, String> variables) {
        return new RunLimits(
                schemaNamed.map(name -> folded(name, variables.getOrDefault("lower_case_table_names", "0"))),
                maxBytes,
                allowReplicatedWrites,
                maxLoad,
                criticalLoad);
    }

    /** @param lowerCaseTableNames the server's; where it is not 0, names of schemas that differ only in case are one */
    static String folded(String schema, String lowerCaseTableNames) {
        return lowerCaseTableNames.equals("0") ? schema : schema.toLowerCase(Locale.ROOT);
    }

    /** The schema that all tables lie in. */
    public String schema() {
        return schemaNamed.orElse(DEFAULT_SCHEMA);
    }
}
