package dev.blobmark.bench.guest;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Fault injection for guests: each fault at each step on each product. Started by {@code bench/guest-faults}. */
public final class GuestFaults {

    private static final String USAGE = """
            bench/guest-faults [--mysql DIR] [--only PRODUCT[/FAULT[/STEP]]]… [--list]

            Injects each fault into a run, or into `blobmark cleanup`, on a server with a replica. Blobmark's JVM is suspended with
            SIGSTOP at the step, the fault happens, and the JVM is resumed. Then foreign contents of both servers, replication, exit
            code and message must be as promised. After the fault is undone, `cleanup` and an ordinary run must succeed, and nothing
            may be left. MySQL is tested if --mysql or BLOBMARK_TEST_MYSQL names its base directory. Exits with 1 if there are
            violations.
            """;

    private int passed;
    private int skipped;
    private final List<String> violated = new ArrayList<>();

    private GuestFaults() {}

    public static void main(String[] arguments) throws Exception {
        List<String> only = new ArrayList<>();
        Optional<Path> mysql = Optional.ofNullable(System.getenv("BLOBMARK_TEST_MYSQL"))
                .filter(text -> !text.isEmpty())
                .map(Path::of);
        boolean isList = false;
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--only" -> only.add(arguments[++i]);
                case "--mysql" -> mysql = Optional.of(Path.of(arguments[++i]));
                case "--list" -> isList = true;
                default -> {
                    System.err.print(USAGE);
                    System.exit(2);
                }
            }
        }
        List<Cell> cells = Cell.all().stream()
                .filter(cell -> only.isEmpty() || only.stream().anyMatch(selector -> matches(cell.id(), selector)))
                .toList();
        if (isList || cells.isEmpty()) {
            cells.forEach(
                    cell -> System.out.println(cell.id() + ": " + cell.fault().codes(cell.step())));
            System.exit(cells.isEmpty() ? 2 : 0);
        }
        Path root = Path.of("").toAbsolutePath();
        Set<Integer> documented =
                Documents.exitCodes(Documents.read(root, "docs/commands.md")).keySet();
        Set<Integer> expected = new TreeSet<>();
        cells.forEach(cell -> expected.addAll(cell.fault().codes(cell.step())));
        expected.removeAll(documented);
        if (!expected.isEmpty()) {
            System.out.println("note: docs/commands.md has no exit codes " + expected + ", which cells expect");
        }
        GuestFaults faults = new GuestFaults();
        System.out.println("product  fault                 step       run     exit   seconds  verdict");
        for (Product product : Product.values()) {
            List<Cell> ofProduct =
                    cells.stream().filter(cell -> cell.product() == product).toList();
            if (!ofProduct.isEmpty()) {
                faults.run(product, mysql, root, ofProduct);
            }
        }
        System.out.printf(
                "%d cells as promised, %d violated, %d skipped%n",
                faults.passed, faults.violated.size(), faults.skipped);
        faults.violated.forEach(id -> System.out.println("violated: " + id));
        System.exit(faults.violated.isEmpty() ? 0 : 1);
    }

    /**
     * A selector names a cell, or a set of cells by some parts of their ids: {@code mysql/restarted} or
     * {@code mysql//load}.
     */
    static boolean matches(String id, String selector) {
        String[] parts = id.split("/");
        String[] wanted = selector.split("/");
        for (int i = 0; i < wanted.length; i++) {
            if (!wanted[i].isEmpty() && (i >= parts.length || !parts[i].equals(wanted[i]))) {
                return false;
            }
        }
        return true;
    }

    private void run(Product product, Optional<Path> mysql, Path root, List<Cell> cells) throws Exception {
        if (product == Product.MYSQL && mysql.isEmpty()) {
            skipped += cells.size();
            System.out.println(
                    "mysql: " + cells.size() + " cells skipped: neither --mysql nor BLOBMARK_TEST_MYSQL is set");
            return;
        }
        try (Fixture fixture = Fixture.open(product, mysql, root, "guest-faults")) {
            for (Cell cell : cells) {
                run(cell, fixture.bench());
            }
        }
    }

    private void run(Cell cell, Workbench bench) throws Exception {
        long begin = System.nanoTime();
        String unavailable = cell.unavailable(bench.pair());
        Cell.Result result;
        try {
            result = unavailable.isEmpty() ? cell.run(bench) : new Cell.Result("", List.of());
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            result = new Cell.Result("", List.of("the test could not continue: " + e));
        }
        String verdict = unavailable.isEmpty() ? result.violations().isEmpty() ? "as promised" : "VIOLATED" : "skipped";
        switch (verdict) {
            case "as promised" -> passed++;
            case "skipped" -> skipped++;
            default -> violated.add(cell.id());
        }
        System.out.printf(
                Locale.ROOT,
                "%-7s  %-20s  %-9s  %-6s  %4s  %8.1f  %s%s%n",
                cell.product().id(),
                cell.fault().id(),
                cell.step().id(),
                cell.writes() ? "writes" : "reads",
                result.code(),
                (System.nanoTime() - begin) / 1e9,
                verdict,
                unavailable.isEmpty() ? "" : ": " + unavailable);
        result.violations().forEach(violation -> System.out.println("         " + violation));
        System.out.flush();
    }
}
