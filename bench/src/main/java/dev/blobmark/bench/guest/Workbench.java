package dev.blobmark.bench.guest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/** The commands of a guest, and the checks after each of them. */
final class Workbench {

    /** Samples of the study below. */
    static final long SAMPLES = 6;

    private static final int LIMIT_SECONDS = 150;

    private static final String STUDY = """
            study: guest-%s
            question: What does a fault do to a guest?
            metric: throughput
            defaults: {layout: dynamic, driver: mariadb, statement: text}
            baseline: plain
            methods:
              plain: {}
              zstd: {codec: "zstd:1"}
            conditions:
              - {workload: %s, dataset: sites, size: 16KB, rows: 300, tls: off, threads: 1}
            schedule: {rounds: 3, forks: 1, window: 50ms, warm-up: 0s, seed: 1}
            """;

    private final Pair pair;
    private final BlobmarkProcess.Home home;
    private final List<String> cleanupOptions;
    private final String lastTable;
    private int number;

    /** @throws IOException if `./blobmark` cannot be started, or prints no plan */
    Workbench(Pair pair, BlobmarkProcess.Home home) throws IOException, InterruptedException {
        this.pair = pair;
        this.home = home;
        Files.createDirectories(home.scratch());
        Files.writeString(study(false), STUDY.formatted("fetch", "fetch"));
        Files.writeString(study(true), STUDY.formatted("update", "update"));
        String plan = ended(home.start("plan", List.of("run", study(false).toString(), "--dry-run")));
        List<String> tables = Documents.tables(plan);
        if (tables.isEmpty()) {
            throw new IOException("--dry-run names no tables:\n" + plan);
        }
        lastTable = tables.get(tables.size() - 1);
        boolean knowsYes =
                ended(home.start("help", List.of("cleanup", "--help"))).contains("--yes");
        cleanupOptions = knowsYes ? List.of("--yes") : List.of();
    }

    private Path study(boolean writes) {
        return home.scratch().resolve(writes ? "writes.yaml" : "reads.yaml");
    }

    private static String ended(BlobmarkProcess process) throws IOException, InterruptedException {
        process.await(LIMIT_SECONDS);
        return process.output();
    }

    Pair pair() {
        return pair;
    }

    BlobmarkProcess.Home home() {
        return home;
    }

    /** The table that a run creates last, according to its plan. */
    String lastTable() {
        return lastTable;
    }

    BlobmarkProcess startRun(boolean writes) throws IOException {
        return startRun(writes, List.of());
    }

    BlobmarkProcess startRun(boolean writes, List<String> more) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("run", study(writes).toString(), "--server", pair.address(), "--no-keep-awake"));
        arguments.addAll(more);
        if (writes) {
            arguments.add("--allow-replicated-writes");
        }
        return home.start(name(writes ? "writes" : "reads"), arguments);
    }

    BlobmarkProcess startCleanup() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("cleanup", "--server", pair.address()));
        arguments.addAll(cleanupOptions);
        return home.start(name("cleanup"), arguments);
    }

    private String name(String what) {
        return "%03d-%s".formatted(++number, what);
    }

    /** @return violations of a process that nothing disturbs */
    List<String> undisturbed(String what, BlobmarkProcess process) throws IOException, InterruptedException {
        if (!process.await(LIMIT_SECONDS)) {
            return List.of(what + " does not end within " + LIMIT_SECONDS + " s");
        }
        return process.exitCode() == 0
                ? List.of()
                : List.of(what + " exits " + process.exitCode() + ": " + lastLine(process.output()));
    }

    static String lastLine(String output) {
        String text = output.strip();
        return text.substring(text.lastIndexOf('\n') + 1);
    }

    static int limitSeconds() {
        return LIMIT_SECONDS;
    }

    /** Changes of foreign contents, and whether the replica still follows. */
    List<String> foreign(SortedMap<String, String> before, boolean isSwapped)
            throws SQLException, InterruptedException {
        List<String> wrong = new ArrayList<>();
        pair.lag(isSwapped).ifPresent(wrong::add);
        wrong.addAll(ForeignContents.differences("foreign", before, pair.contents()));
        return wrong;
    }

    /**
     * What a cleanup and an ordinary run have left.
     *
     * @param isLogged whether a run wrote to the binary log; its empty schema is then kept
     */
    List<String> leftovers(List<String> temporaryBefore, boolean isLogged)
            throws SQLException, IOException, InterruptedException {
        List<String> wrong = new ArrayList<>();
        try (Sql source = pair.onSource();
                Sql replica = pair.onReplica()) {
            String own =
                    "SELECT CONCAT(table_schema, '.', table_name) FROM information_schema.tables WHERE table_schema = '"
                            + Pair.SCHEMA + "' AND table_name <> 'kept'";
            source.strings(own).forEach(table -> wrong.add("left on the source: " + table));
            replica.strings(own).forEach(table -> wrong.add("left on the replica: " + table));
            if (!isLogged) {
                source.strings("SELECT schema_name FROM information_schema.schemata WHERE schema_name = '" + Pair.SCHEMA
                                + "'")
                        .forEach(schema -> wrong.add("left on the source: the schema " + schema));
            }
        }
        long deadline = System.nanoTime() + 5_000_000_000L; // a fork ends when it notices that its parent has ended
        while (!home.processes().isEmpty() && System.nanoTime() < deadline) {
            Thread.sleep(20);
        }
        home.processes().forEach(pid -> wrong.add("left: process " + pid));
        List<String> files = new ArrayList<>(home.temporaryFiles());
        files.removeAll(temporaryBefore);
        if (!files.isEmpty()) {
            wrong.add("left: " + files.size() + " temporary files, " + files.get(0));
        }
        return wrong;
    }
}
