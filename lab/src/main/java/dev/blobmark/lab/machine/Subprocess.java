package dev.blobmark.lab.machine;

import java.util.List;
import java.util.Set;

/**
 * Other programs that are started: servers, measuring JVMs, tools. Everything that Blobmark starts is started here (the tests hold the
 * modules to it), so that none inherits what is secret in the environment: other programs print it, pass it on, or leave it in a core
 * dump.
 */
public final class Subprocess {

    /** Of Blobmark and of the clients of MySQL, Redis, Valkey and PostgreSQL. */
    private static final Set<String> SECRETS =
            Set.of("BLOBMARK_PASSWORD", "MYSQL_PWD", "REDISCLI_AUTH", "VALKEYCLI_AUTH", "PGPASSWORD");

    private Subprocess() {}

    /** A program with this JVM's environment but for passwords. */
    public static ProcessBuilder of(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeAll(SECRETS);
        return builder;
    }

    /** A program with this JVM's environment but for passwords. */
    public static ProcessBuilder of(String... command) {
        return of(List.of(command));
    }
}
