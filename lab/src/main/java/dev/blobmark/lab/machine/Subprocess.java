package dev.blobmark.lab.machine;

import java.util.List;
import java.util.Set;

/**
 * Starts programs: servers, measuring JVMs, tools. All modules start programs here (tests enforce it), so that no
 * program inherits secrets from the environment. Programs may print their environment, pass it on, or leave it in a
 * core dump.
 */
public final class Subprocess {

    /** Variables of Blobmark and of the clients of MySQL, Redis, Valkey and PostgreSQL. */
    private static final Set<String> SECRETS =
            Set.of("BLOBMARK_PASSWORD", "MYSQL_PWD", "REDISCLI_AUTH", "VALKEYCLI_AUTH", "PGPASSWORD");

    private Subprocess() {}

    /** A program with this JVM's environment, without passwords. */
    public static ProcessBuilder of(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeAll(SECRETS);
        return builder;
    }

    /** A program with this JVM's environment, without passwords. */
    public static ProcessBuilder of(String... command) {
        return of(List.of(command));
    }
}
