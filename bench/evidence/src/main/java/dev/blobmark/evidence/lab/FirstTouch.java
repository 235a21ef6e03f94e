package dev.blobmark.evidence.lab;

import dev.blobmark.bench.Ratio;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.fork.JvmLaunch;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.plan.Heap;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The cost of touching memory for the first time: the speed of a measuring JVM in its first 3 s, compared with its
 * speed after 20 s, with raw values of 1 MB and 4 MB. The machine's own speed changes by more than that within seconds,
 * so both are compared with an old JVM that is visited in turns with the new one. The result is the ratio of the two
 * ratios, with an interval over the JVMs. It is measured with heaps that are touched before anything is measured, as by
 * default, and with heaps that are not. Faults are pages that the new JVM touched for the first time, per second of its
 * visits. Needs Linux's /proc.
 *
 * <p>Arguments, all optional: number of new JVMs of each kind (20), JVM flags for both kinds.
 */
public final class FirstTouch {

    private static final List<Integer> SIZES = List.of(1 << 20, 4 << 20);

    private static final Duration SPAN = Duration.ofSeconds(3);

    private static final Duration LATER = Duration.ofSeconds(20);

    private static final int MIN_PAIRS = 5;

    private FirstTouch() {}

    public static void main(String[] args) throws Exception {
        int jvms = args.length > 0 ? Integer.parseInt(args[0]) : 20;
        Path cache = Path.of(System.getProperty("user.home"), ".cache", "blobmark");
        Path scratch = Files.createTempDirectory("blobmark-bench-");
        List<EncodedValues> values = new ArrayList<>();
        for (int size : SIZES) {
            values.add(EncodedValues.of(
                    Datasets.parse("sites").values(size, 42), Codecs.parse("none"), scratch, bytes -> {}));
        }
        try (OwnServer server = OwnServer.start(
                        cache,
                        ServerOptions.of(1L << 30)
                                .withTls(false)
                                .with(new ServerLaunch(
                                        Optional.empty(), Pin.apart(1).serverPrefix())));
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE bench");
            for (int number = 0; number < values.size(); number++) {
                MySqlTable table = new MySqlTable(
                        connection,
                        "bench",
                        "t" + number,
                        Layout.FACTOR.parse("dynamic"),
                        Column.FACTOR.parse("mediumblob"));
                table.create();
                table.load(values.get(number), bytes -> {});
            }
            System.out.printf("%s, %d new JVMs of each kind%n%n", ServerIdentity.read(connection), jvms);
            System.out.println(
                    "| heap | values | new ÷ old, first 3 s ÷ after 20 s | new alone | faults/s | waiting, µs | transfer, µs | client, µs |");
            System.out.println("| --- | --- | --- | --- | --- | --- | --- | --- |");
            List<String> flags = List.of(args).subList(Math.min(1, args.length), args.length);
            measure("touched", flags, jvms, server.endpoint(), values, scratch);
            List<String> untouched = new ArrayList<>(flags);
            untouched.add("-XX:-AlwaysPreTouch");
            measure("not touched", untouched, jvms, server.endpoint(), values, scratch);
        }
    }

    private static void measure(
            String heap, List<String> more, int jvms, Endpoint endpoint, List<EncodedValues> values, Path scratch)
            throws IOException {
        List<String> flags = new ArrayList<>(new Heap(1024).flags());
        flags.addAll(more);
        JvmLaunch launch =
                new JvmLaunch(VisitedJvm.Main.class.getName(), Pin.apart(1).clientPrefix(), flags);
        List<List<Span[]>> all = values.stream()
                .map(table -> (List<Span[]>) new ArrayList<Span[]>())
                .toList();
        try (VisitedJvm old = new VisitedJvm(launch, scratch, endpoint, values)) {
            keepVisiting(old, System.nanoTime() + LATER.toNanos());
            for (int number = 0; number < jvms; number++) {
                try (VisitedJvm fresh = new VisitedJvm(launch, scratch, endpoint, values)) {
                    long begin = System.nanoTime();
                    List<Span> first = span(fresh, old);
                    keepVisiting(fresh, begin + LATER.toNanos());
                    List<Span> later = span(fresh, old);
                    for (int table = 0; table < values.size(); table++) {
                        all.get(table).add(new Span[] {first.get(table), later.get(table)});
                    }
                }
            }
        }
        for (int table = 0; table < values.size(); table++) {
            List<Span[]> spans = all.get(table);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %d MB | %s | %s | %.0f → %.0f | %s | %s | %s |%n",
                    heap,
                    SIZES.get(table) >> 20,
                    Ratio.of(logs(spans, span -> span.toOld)),
                    Ratio.of(logs(spans, span -> span.alone)),
                    mean(spans, each -> each[0].faults),
                    mean(spans, each -> each[1].faults),
                    micros(spans, VisitedJvm.Account::waitingNanos),
                    micros(spans, VisitedJvm.Account::transferNanos),
                    micros(spans, VisitedJvm.Account::clientNanos));
        }
    }

    private static double[] logs(List<Span[]> spans, ToDoubleFunction<Span> log) {
        return spans.stream()
                .mapToDouble(each -> log.applyAsDouble(each[0]) - log.applyAsDouble(each[1]))
                .toArray();
    }

    private static String micros(List<Span[]> spans, ToDoubleFunction<VisitedJvm.Account> nanos) {
        return String.format(
                Locale.ROOT,
                "%.0f → %.0f",
                mean(spans, each -> nanos.applyAsDouble(each[0].account) / 1e3),
                mean(spans, each -> nanos.applyAsDouble(each[1].account) / 1e3));
    }

    /**
     * The result of alternating visits to one table.
     *
     * @param toOld mean logarithm of the new JVM's rate ÷ the old one's, over pairs of visits in which neither compiled
     * @param alone mean logarithm of the new JVM's rate, over the same pairs
     * @param faults of the new JVM, per second of its visits
     * @param account of all visits of the new JVM
     */
    private record Span(double toOld, double alone, double faults, VisitedJvm.Account account) {}

    /** Visits each table with both JVMs, each first in half of the rounds, until enough pairs had no compilation. */
    private static List<Span> span(VisitedJvm fresh, VisitedJvm old) throws IOException {
        List<Map<Integer, Long>> faults = new ArrayList<>();
        SIZES.forEach(size -> faults.add(new TreeMap<>()));
        long end = System.nanoTime() + SPAN.toNanos();
        for (int round = 0;
                System.nanoTime() < end || faults.stream().anyMatch(rounds -> rounds.size() < MIN_PAIRS);
                round++) {
            for (int table = 0; table < SIZES.size(); table++) {
                VisitedJvm.Visited before = (round % 2 == 0 ? fresh : old).visit(table, round);
                VisitedJvm.Visited after = (round % 2 == 0 ? old : fresh).visit(table, round);
                if (before.quiet() && after.quiet()) {
                    faults.get(table).put(round, (round % 2 == 0 ? before : after).faults());
                }
            }
        }
        List<Span> spans = new ArrayList<>();
        for (int table = 0; table < SIZES.size(); table++) {
            VisitedJvm.Account ofFresh = fresh.account(table);
            VisitedJvm.Account ofOld = old.account(table);
            List<Integer> rounds = faults.get(table).keySet().stream()
                    .filter(round ->
                            ofFresh.rates().containsKey(round) && ofOld.rates().containsKey(round))
                    .toList();
            spans.add(new Span(
                    mean(
                            rounds,
                            round -> Math.log(
                                    ofFresh.rates().get(round) / ofOld.rates().get(round))),
                    mean(rounds, round -> Math.log(ofFresh.rates().get(round))),
                    mean(faults.get(table).values(), Long::doubleValue) * 1e9 / VisitedJvm.WINDOW.toNanos(),
                    ofFresh));
        }
        return spans;
    }

    private static <T> double mean(Collection<T> all, ToDoubleFunction<T> figure) {
        return all.stream().mapToDouble(figure).average().orElseThrow();
    }

    /** Visits both tables until this time, without using the results. */
    private static void keepVisiting(VisitedJvm jvm, long end) throws IOException {
        for (int round = 0; System.nanoTime() < end; round++) {
            for (int table : IntStream.range(0, SIZES.size()).toArray()) {
                jvm.visit(table, round);
            }
        }
        for (int table = 0; table < SIZES.size(); table++) {
            jvm.account(table);
        }
    }
}
