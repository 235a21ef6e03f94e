package dev.blobmark.lab.admission;

import dev.blobmark.mysql.admission.ToleratedLoad;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What the user allows a run to do on a server.
 *
 * @param schemaNamed the schema to use, if the user named one
 * @param maxBytes limit of application bytes in all tables together. If empty, {@link #USUAL_MAX_BYTES} on a server
 *     that Blobmark did not start, and no limit on others
 * @param allowReplicatedWrites whether loading may be replicated: to the binary log, or to other members of a cluster
 * @param load load with which the run continues
 */
public record RunLimits(
        Optional<String> schemaNamed, OptionalLong maxBytes, boolean allowReplicatedWrites, ToleratedLoad load) {

    public static final String DEFAULT_SCHEMA = "blobmark";

    /** Default limit of application bytes on a server that Blobmark did not start. */
    public static final long USUAL_MAX_BYTES = 10L << 30;

    public static final RunLimits DEFAULT =
            new RunLimits(Optional.empty(), OptionalLong.empty(), false, ToleratedLoad.DEFAULT);

    private static final Set<String> SYSTEM_SCHEMAS =
            Set.of("mysql", "sys", "information_schema", "performance_schema");

    public RunLimits {
        Objects.requireNonNull(load, "load");
        schemaNamed.ifPresent(RunLimits::checkSchema);
        if (maxBytes.isPresent() && maxBytes.getAsLong() < 1) {
            throw new IllegalArgumentException("at most " + maxBytes.getAsLong() + " bytes: it must be 1 or more");
        }
    }

    private static void checkSchema(String name) {
        if (!name.matches("[A-Za-z0-9_$]{1,48}")) {
            throw new IllegalArgumentException(
                    "'" + name + "' is not a valid schema: use 1 to 48 letters, digits, _ and $");
        }
        if (SYSTEM_SCHEMAS.contains(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("'" + name + "' is a schema of the server itself; use another name");
        }
    }

    /** The same, with the schema's name as the server stores it. */
    RunLimits on(Map<String, String> variables) {
        return new RunLimits(
                schemaNamed.map(name -> folded(name, variables.getOrDefault("lower_case_table_names", "0"))),
                maxBytes,
                allowReplicatedWrites,
                load);
    }

    /** @param lowerCaseTableNames the server's variable; unless it is 0, the server ignores the case of schema names */
    static String folded(String schema, String lowerCaseTableNames) {
        return lowerCaseTableNames.equals("0") ? schema : schema.toLowerCase(Locale.ROOT);
    }

    /** The schema of all tables. */
    public String schema() {
        return schemaNamed.orElse(DEFAULT_SCHEMA);
    }
}
