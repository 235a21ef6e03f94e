package dev.blobmark.evidence.thief;

import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.redis.RedisServers;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.server.ServerException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Starts private servers in turn while a {@link Thief} tries to take their ports and passwords. Started by
 * {@code bench/evidence/port-thief}.
 */
public final class PortThief {

    private static final String USAGE = """
            bench/evidence/port-thief [--starts 200] [--mysql DIR] [--only mariadb|mysql|redis]

            Starts private servers like a run, while another process of the same user takes their ports first and answers in their place:
            as a MySQL with a key of its own, as one that requests the password in clear text, with and without TLS, and as a Redis.
            MySQL is included if --mysql or BLOBMARK_TEST_MYSQL names its base directory. Exits with 1 if a password was obtained or a
            login succeeded.
            """;

    private static final long POOL_BYTES = 64L << 20;

    /** How long a server stays open. A thief that has its password needs less. */
    private static final long OPEN_MILLIS = 300;

    private PortThief() {}

    /** A kind of server, and how it is started. */
    private record Target(String name, Attempt attempt) {}

    private interface Attempt {
        AutoCloseable start();
    }

    public static void main(String[] arguments) throws Exception {
        int starts = 200;
        Optional<String> only = Optional.empty();
        Optional<Path> mysql = Optional.ofNullable(System.getenv("BLOBMARK_TEST_MYSQL"))
                .filter(text -> !text.isEmpty())
                .map(Path::of);
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--starts" -> starts = Integer.parseInt(arguments[++i]);
                case "--mysql" -> mysql = Optional.of(Path.of(arguments[++i]));
                case "--only" -> only = Optional.of(arguments[++i]);
                default -> {
                    System.err.print(USAGE);
                    System.exit(2);
                }
            }
        }
        Path scratch = Path.of("target", "port-thief").toAbsolutePath();
        Files.createDirectories(scratch);
        List<Target> all = targets(scratch.resolve("cache"), mysql, only);
        Process thief = thief(scratch);
        try (BufferedReader answers = thief.inputReader()) {
            answers.readLine();
            TreeMap<String, Integer> ends = new TreeMap<>();
            for (int i = 0; i < starts; i++) {
                Target target = all.get(i % all.size());
                String end = end(target);
                ends.merge(target.name() + ", " + end, 1, Integer::sum);
                if ((i + 1) % 10 == 0 || i + 1 == starts) {
                    System.out.println(i + 1 + " starts: " + text(ask(thief, answers)));
                }
            }
            ends.forEach((end, times) -> System.out.println(times + " x " + end));
            String[] loot = ask(thief, answers);
            System.out.println(starts + " servers: " + text(loot));
            System.exit(loot[5].equals("0") && loot[6].equals("0") ? 0 : 1);
        } finally {
            thief.destroyForcibly();
        }
    }

    private static List<Target> targets(Path cache, Optional<Path> mysql, Optional<String> only) {
        ServerOptions options = ServerOptions.of(POOL_BYTES);
        List<Target> all = new ArrayList<>();
        all.add(new Target("mariadb", () -> new Servers.Embedded(Optional.empty()).open(cache, options)));
        mysql.ifPresent(base -> all.add(
                new Target("mysql", () -> new Servers.Installed(Optional.of(base), List.of()).open(cache, options))));
        all.add(new Target("redis", () -> RedisServers.EMBEDDED.open(cache)));
        all.removeIf(target -> only.isPresent() && !only.get().equals(target.name()));
        if (all.isEmpty()) {
            throw new IllegalArgumentException("--only " + only.get() + " is not a server that can be started here");
        }
        return all;
    }

    private static String end(Target target) throws Exception {
        AutoCloseable server;
        try {
            server = target.attempt().start();
        } catch (ServerException e) {
            return "not started: " + e.getMessage().lines().findFirst().orElse("");
        }
        try {
            Thread.sleep(OPEN_MILLIS);
        } finally {
            server.close();
        }
        return "started and stopped";
    }

    private static Process thief(Path scratch) throws IOException, InterruptedException {
        Path java = Path.of(System.getProperty("java.home"), "bin");
        Path keys = scratch.resolve("thief.p12");
        Files.deleteIfExists(keys);
        new ProcessBuilder(
                        java.resolve("keytool").toString(),
                        "-genkeypair",
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=127.0.0.1",
                        "-alias",
                        "thief",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit",
                        "-keystore",
                        keys.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        return new ProcessBuilder(
                        java.resolve("java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Thief.class.getName(),
                        Long.toString(ProcessHandle.current().pid()),
                        keys.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String[] ask(Process thief, BufferedReader answers) throws IOException {
        thief.getOutputStream().write('?');
        thief.getOutputStream().flush();
        return answers.readLine().split(" ");
    }

    private static String text(String[] loot) {
        return "%s ports seen, %s taken, %s connections received, %s bytes of logins, %s passwords obtained, %s logins"
                .formatted(loot[1], loot[2], loot[3], loot[4], loot[5], loot[6]);
    }
}
