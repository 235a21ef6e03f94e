package dev.blobmark.lab.study;

import dev.blobmark.lab.study.Factor.Home;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Factors as the other packages have them, small enough to see through. */
final class TestVocabulary {

    private static final Pattern CODEC = Pattern.compile("([a-z0-9]+)(?::([0-9]+))?(\\+len)?");
    private static final Map<String, Integer> DEFAULT_LEVELS =
            Map.of("gzip", 6, "zlib", 6, "deflate", 6, "zstd", 3, "brotli", 11, "lz4hc", 9);
    private static final Set<String> WITHOUT_LEVEL = Set.of("none", "mysql", "snappy", "lz4");

    private static final List<Factor<?>> FACTORS = List.of(
            words("workload", Home.CONDITION, null, "fetch", "insert", "codec"),
            text("dataset", Home.CONDITION, null, "sites|random:(62|10|4|2)|dir:.+", "sites", "random:62", "dir:PATH"),
            Size.FACTOR,
            words("store", Home.METHOD, "mysql", "mysql", "redis"),
            words("layout", Home.METHOD, "dynamic", "dynamic", "compressed"),
            words("column", Home.METHOD, "mediumblob", "mediumblob", "longblob"),
            new Factor<>(
                    "codec",
                    Home.METHOD,
                    Set.of(Factor.Shape.STORE),
                    Set.of(),
                    "how values are encoded",
                    List.of("none", "gzip", "zstd"),
                    Optional.of("none"),
                    TestVocabulary::codec,
                    UnaryOperator.identity()),
            words("decode", Home.METHOD, "application", "application", "server"),
            words("driver", Home.METHOD, "connector-j", "connector-j", "mariadb"),
            words("statement", Home.METHOD, "server", "server", "text"),
            words("wire-compression", Home.METHOD, "off", "off", "on"),
            words("connection", Home.METHOD, "thread-local", "thread-local", "hikari"),
            words("tls", Home.CONDITION, "off", "off", "on"),
            text(
                    "link",
                    Home.CONDITION,
                    "loopback",
                    "loopback|lan:[0-9]+ms|aws|1gbit|wifi|slow-server|[0-9]+mbit",
                    "loopback",
                    "lan:1ms"),
            words("via", Home.CONDITION, "direct", "direct", "haproxy"),
            text("rows", Home.CONDITION, "dataset", "dataset|[0-9]{1,8}", "dataset", "1000"),
            text("threads", Home.CONDITION, "1", "[1-9][0-9]{0,3}", "1", "8"),
            words("jvm", Home.METHOD, "default", "default", "oldest", "newest"));

    private TestVocabulary() {}

    static Vocabulary get() {
        return with();
    }

    /** The vocabulary with more factors, which matter to every trial with a server. */
    static Vocabulary with(Factor<?>... more) {
        List<Factor<?>> all = Stream.concat(FACTORS.stream(), Stream.of(more)).toList();
        return new Vocabulary(
                all,
                design -> relevant(all, design.levels()),
                List.of(design -> serverDecodes(design.levels()), design -> redis(design.levels())));
    }

    static Factor<String> words(String name, Home home, String defaultLevel, String... levels) {
        return new Factor<>(
                name,
                home,
                Set.of(),
                Set.of(),
                name,
                List.of(levels),
                Optional.ofNullable(defaultLevel),
                level -> {
                    if (!List.of(levels).contains(level)) {
                        throw new IllegalArgumentException(
                                "unknown " + name + " '" + level + "'; " + Spelling.suggest(level, List.of(levels)));
                    }
                    return level;
                },
                UnaryOperator.identity());
    }

    private static Factor<String> text(String name, Home home, String defaultLevel, String form, String... levels) {
        Function<String, String> parser = level -> {
            if (!level.matches(form)) {
                throw new IllegalArgumentException(
                        "unknown " + name + " '" + level + "'; " + Spelling.suggest(level, List.of(levels)));
            }
            return level;
        };
        return new Factor<>(
                name,
                home,
                Set.of(),
                Set.of(),
                name,
                List.of(levels),
                Optional.ofNullable(defaultLevel),
                parser,
                UnaryOperator.identity());
    }

    private static String codec(String text) {
        Matcher form = CODEC.matcher(text);
        Set<String> names = new TreeSet<>(DEFAULT_LEVELS.keySet());
        names.addAll(WITHOUT_LEVEL);
        if (!form.matches() || !names.contains(form.group(1))) {
            throw new IllegalArgumentException(
                    "unknown codec '" + text + "'; " + Spelling.suggest(text.replaceFirst("[:+].*", ""), names));
        }
        String length = form.group(3) == null ? "" : "+len";
        if (WITHOUT_LEVEL.contains(form.group(1))) {
            return form.group(1) + length;
        }
        String level = form.group(2) == null ? "" + DEFAULT_LEVELS.get(form.group(1)) : form.group(2);
        return form.group(1) + ":" + level + length;
    }

    private static Set<String> relevant(List<Factor<?>> factors, Levels levels) {
        Set<String> names = new TreeSet<>(factors.stream().map(Factor::name).toList());
        if (levels.find("workload").filter("codec"::equals).isPresent()) {
            names.retainAll(Set.of("workload", "dataset", "size", "codec", "threads"));
        }
        if (levels.find("dataset").filter(d -> d.startsWith("dir:")).isPresent()) {
            names.remove("size");
        }
        return names;
    }

    private static Optional<String> serverDecodes(Levels levels) {
        return levels.find("decode").filter("server"::equals).isPresent()
                        && levels.find("codec").filter("mysql"::equals).isEmpty()
                ? Optional.of(
                        "the server decodes nothing but MySQL's own format; use codec: mysql, or decode: application")
                : Optional.empty();
    }

    private static Optional<String> redis(Levels levels) {
        return levels.find("store").filter("redis"::equals).isPresent()
                        && levels.find("layout").filter("compressed"::equals).isPresent()
                ? Optional.of("Redis has no table layouts; take 'layout' out")
                : Optional.empty();
    }
}
