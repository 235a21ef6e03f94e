package dev.blobmark.bench.thief;

import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.redis.RedisServers;
import dev.blobmark.lab.server.source.Servers;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Starts private servers by turns while a {@link Thief} tries to have their ports and passwords. Started by {@code bench/port-thief}. */
public final class PortThief {

    private static final String USAGE = """
            bench/port-thief [--starts 200] [--mysql DIR] [--only mariadb|mysql|redis]

            Starts private servers, as a run does, while another process of the same user takes their ports first and answers in their place:
            as a MySQL with a key of its own, one that asks for the password in clear text, with and without TLS, and as a Redis. MySQL is among
            them if --mysql or BLOBMARK_TEST_MYSQL names its base directory. Exits 1 if a password was obtained, or a login achieved.
            """;

    private static final long POOL_BYTES = 64L << 20;

    /** How long a server stays open: a thief who has its password needs less. */
    private static final long OPEN_MILLIS = 300;

    private PortThief() {}

    /** A kind of server, and how one is started and stopped. */
    private record Prey(String name, Attempt attempt) {}

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
        List<Prey> all = prey(scratch.resolve("cache"), mysql, only);
        Process thief = thief(scratch);
        try (BufferedReader told = thief.inputReader()) {
            told.readLine();
            TreeMap<String, Integer> ends = new TreeMap<>();
            for (int i = 0; i < starts; i++) {
                Prey one = all.get(i % all.size());
                String end = end(one);
                ends.merge(one.name() + ", " + end, 1, Integer::sum);
                if ((i + 1) % 10 == 0 || i + 1 == starts) {
                    System.out.println(i + 1 + " starts: " + text(ask(thief, told)));
                }
            }
            ends.forEach((end, times) -> System.out.println(times + " x " + end));
            String[] loot = ask(thief, told);
            System.out.println(starts + " servers: " + text(loot));
            System.exit(loot[5].equals("0") && loot[6].equals("0") ? 0 : 1);
        } finally {
            thief.destroyForcibly();
        }
    }

    private static List<Prey> prey(Path cache, Optional<Path> mysql, Optional<String> only) {
        ServerOptions options = ServerOptions.of(POOL_BYTES);
        List<Prey> all = new ArrayList<>();
        all.add(new Prey("mariadb", () -> new Servers.Embedded(Optional.empty()).open(cache, options)));
        mysql.ifPresent(base -> all.add(
                new Prey("mysql", () -> new Servers.Installed(Optional.of(base), List.of()).open(cache, options))));
        all.add(new Prey("redis", () -> RedisServers.EMBEDDED_ONE.open(cache, List.of())));
        all.removeIf(one -> only.isPresent() && !only.get().equals(one.name()));
        if (all.isEmpty()) {
            throw new IllegalArgumentException("--only " + only.get() + " names no server that is here");
        }
        return all;
    }

    private static String end(Prey prey) throws Exception {
        AutoCloseable server;
        try {
            server = prey.attempt().start();
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

    private static String[] ask(Process thief, BufferedReader told) throws IOException {
        thief.getOutputStream().write('?');
        thief.getOutputStream().flush();
        return told.readLine().split(" ");
    }

    private static String text(String[] loot) {
        return "%s ports seen, %s taken, %s connections received, %s bytes of logins, %s passwords obtained, %s logins"
                .formatted(loot[1], loot[2], loot[3], loot[4], loot[5], loot[6]);
    }
}
