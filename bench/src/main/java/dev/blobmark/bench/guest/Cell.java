package dev.blobmark.bench.guest;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A fault at a step on a product.
 *
 * @param writes whether the run is one that writes to the binary log
 */
record Cell(Product product, Fault fault, Step step, boolean writes) {

    /** Long enough for a watch that reads once a second. */
    private static final List<String> LONG_WINDOWS = List.of("--time", "500ms");

    /** The exit code of a run that has lost its server. */
    private static final int SERVER_GONE = 3;

    /** Attempts to suspend Blobmark in a short step before the step is over. */
    private static final int ATTEMPTS = 5;

    /** After this time, Blobmark is resumed, because a fault may be waiting for a lock that it holds on the server. */
    private static final long SUSPENDED_MILLIS = 1_500;

    private static final long FAULT_SECONDS = 60;

    /**
     * The result of a cell.
     *
     * @param code the exit code, with an asterisk if the server aborted by itself; empty if there is none
     * @param violations sentences; none if everything is as promised
     */
    record Result(String code, List<String> violations) {}

    /** All possible cells; the run that only reads is first. */
    static List<Cell> all() {
        List<Cell> cells = new ArrayList<>();
        for (Product product : Product.values()) {
            for (Fault fault : Fault.values()) {
                for (Step step : Step.values()) {
                    if (!fault.codes(step).isEmpty()) {
                        cells.add(new Cell(product, fault, step, false));
                        if (fault.appliesToWritingRuns() && step != Step.PREFLIGHT) {
                            cells.add(new Cell(product, fault, step, true));
                        }
                    }
                }
            }
        }
        return cells;
    }

    String id() {
        return product.id() + "/" + fault.id() + "/" + step.id() + (writes ? "/writes" : "");
    }

    /** Why this cell cannot run on this machine; empty if it can. */
    String unavailable(Pair pair) {
        return fault == Fault.DISK_FULL && !pair.disk().isMounted()
                ? "a small file system can only be mounted by root"
                : "";
    }

    Result run(Workbench bench) throws Exception {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            bench.pair().restore(!writes);
            try (Scene scene = new Scene(bench.pair(), writes, bench.lastTable())) {
                Result result = attempt(bench, scene);
                if (result != null) {
                    return result;
                }
            }
        }
        return new Result(
                "", List.of("Blobmark could not be suspended before the step was over, in " + ATTEMPTS + " attempts"));
    }

    /** @return null if the step was missed */
    private Result attempt(Workbench bench, Scene scene) throws Exception {
        List<String> temporary = bench.home().temporaryFiles();
        BlobmarkProcess victim = victim(bench);
        if (victim == null) {
            return null;
        }
        try (Sql observer = bench.pair().onSource()) {
            if (!step.suspend(observer, victim, Workbench.SAMPLES)) {
                victim.await(Workbench.limitSeconds());
                return null;
            }
        }
        try {
            return struck(bench, scene, victim, temporary);
        } catch (Exception e) {
            // MariaDB 11.4.5 aborts in a rollback on a full disk (ib_vector_create), and then cannot be checked
            if (fault != Fault.DISK_FULL || bench.pair().isSourceUp()) {
                throw e;
            }
            victim.await(Workbench.limitSeconds());
            return new Result(
                    victim.exitCode() + "*",
                    Promise.violations(Set.of(SERVER_GONE), victim.exitCode(), victim.output()));
        }
    }

    private Result struck(Workbench bench, Scene scene, BlobmarkProcess victim, List<String> temporary)
            throws Exception {
        SortedMap<String, String> before = strike(bench, scene, victim);
        List<String> violations = new ArrayList<>();
        String code = "";
        if (victim.await(Workbench.limitSeconds())) {
            code = Integer.toString(victim.exitCode());
            violations.addAll(Promise.violations(fault.codes(step), victim.exitCode(), victim.output()));
        } else {
            violations.add(
                    "does not end within " + Workbench.limitSeconds() + " s: " + Workbench.lastLine(victim.output()));
        }
        violations.addAll(bench.foreign(before, fault == Fault.PROMOTED));
        scene.close();
        try (Scene after = new Scene(bench.pair(), writes, bench.lastTable())) {
            fault.undo(after);
        }
        bench.pair().lag(false).ifPresent(lag -> violations.add("after the fault was undone: " + lag));
        SortedMap<String, String> undone = bench.pair().contents();
        violations.addAll(bench.undisturbed("cleanup", bench.startCleanup()));
        violations.addAll(bench.undisturbed("an ordinary run", bench.startRun(false)));
        violations.addAll(bench.foreign(undone, false));
        violations.addAll(bench.leftovers(temporary, writes));
        return new Result(code, violations.stream().distinct().toList());
    }

    /** Starts the process that the fault hits: a run, or the cleanup of a killed run. */
    private BlobmarkProcess victim(Workbench bench) throws Exception {
        BlobmarkProcess run = bench.startRun(writes, step == Step.MEASURE ? LONG_WINDOWS : List.of());
        if (step != Step.COMMAND) {
            return run;
        }
        try (Sql observer = bench.pair().onSource()) {
            if (!Step.MEASURE.suspend(observer, run, Workbench.SAMPLES)) {
                run.await(Workbench.limitSeconds());
                return null;
            }
        }
        run.kill(true);
        try (Sql observer = bench.pair().onSource()) {
            // its sessions end when the server notices that the client has ended
            while (observer.isAny("SELECT id FROM information_schema.processlist WHERE user = 'guest'")) {
                Thread.sleep(10);
            }
        }
        return bench.startCleanup();
    }

    /** @return the foreign contents after the fault */
    private SortedMap<String, String> strike(Workbench bench, Scene scene, BlobmarkProcess victim) throws Exception {
        AtomicReference<SortedMap<String, String>> foreign = new AtomicReference<>();
        CompletableFuture<Void> struck = CompletableFuture.runAsync(() -> {
            try {
                fault.happen(scene);
                bench.pair().lag(fault == Fault.PROMOTED); // so that the replica has everything that was logged
                foreign.set(bench.pair().contents());
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
        try {
            struck.get(SUSPENDED_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException waits) {
            // it waits for a lock that Blobmark holds
        } finally {
            victim.resume();
        }
        struck.get(FAULT_SECONDS, TimeUnit.SECONDS);
        return foreign.get();
    }
}
