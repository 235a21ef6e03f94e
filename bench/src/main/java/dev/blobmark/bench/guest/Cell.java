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

    /** A watch looks once a second, and is to have the time for it. */
    private static final List<String> LONG_WINDOWS = List.of("--time", "500ms");

    /** Exit code of a run whose server is gone. */
    private static final int SERVER_GONE = 3;

    /** How often it is begun again when a short step was over before Blobmark could be held in it. */
    private static final int ATTEMPTS = 5;

    /** A fault that waits for what Blobmark holds on the server would wait for ever while that is held. */
    private static final long HELD_MILLIS = 1_500;

    private static final long FAULT_SECONDS = 60;

    /**
     * What came of it.
     *
     * @param code the exit code, with an asterisk where the server has aborted by itself; empty where there is none
     * @param violations sentences; none if all is as promised
     */
    record Result(String code, List<String> violations) {}

    /** All that can be, the run that reads first. */
    static List<Cell> all() {
        List<Cell> cells = new ArrayList<>();
        for (Product product : Product.values()) {
            for (Fault fault : Fault.values()) {
                for (Step step : Step.values()) {
                    if (!fault.codes(step).isEmpty()) {
                        cells.add(new Cell(product, fault, step, false));
                        if (fault.mattersToWriters() && step != Step.PREFLIGHT) {
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

    /** Why it cannot be had here; empty if it can. */
    String lacking(Pair pair) {
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
        return new Result("", List.of("the step was over before it could be held, " + ATTEMPTS + " times"));
    }

    /** @return null if the step was missed */
    private Result attempt(Workbench bench, Scene scene) throws Exception {
        List<String> temporary = bench.home().temporaryFiles();
        BlobmarkProcess victim = victim(bench);
        if (victim == null) {
            return null;
        }
        try (Sql eye = bench.pair().onSource()) {
            if (!step.hold(eye, victim, Workbench.SAMPLES)) {
                victim.await(Workbench.limitSeconds());
                return null;
            }
        }
        try {
            return struck(bench, scene, victim, temporary);
        } catch (Exception e) {
            // MariaDB 11.4.5 aborts in a rollback on a full disk (ib_vector_create): nothing can be asked of it then
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
        SortedMap<String, String> calm = bench.pair().contents();
        violations.addAll(bench.undisturbed("cleanup", bench.startCleanup()));
        violations.addAll(bench.undisturbed("an ordinary run", bench.startRun(false)));
        violations.addAll(bench.foreign(calm, false));
        violations.addAll(bench.leftovers(temporary, writes));
        return new Result(code, violations.stream().distinct().toList());
    }

    /** What the fault is to hit: a run, or the cleanup of one that was killed. */
    private BlobmarkProcess victim(Workbench bench) throws Exception {
        BlobmarkProcess run = bench.startRun(writes, step == Step.MEASURE ? LONG_WINDOWS : List.of());
        if (step != Step.COMMAND) {
            return run;
        }
        try (Sql eye = bench.pair().onSource()) {
            if (!Step.MEASURE.hold(eye, run, Workbench.SAMPLES)) {
                run.await(Workbench.limitSeconds());
                return null;
            }
        }
        run.kill(true);
        try (Sql eye = bench.pair().onSource()) {
            // its sessions end when the server sees that their client is gone
            while (eye.isAny("SELECT id FROM information_schema.processlist WHERE user = 'guest'")) {
                Thread.sleep(10);
            }
        }
        return bench.startCleanup();
    }

    /** @return what is foreign when the fault has happened */
    private SortedMap<String, String> strike(Workbench bench, Scene scene, BlobmarkProcess victim) throws Exception {
        AtomicReference<SortedMap<String, String>> foreign = new AtomicReference<>();
        CompletableFuture<Void> struck = CompletableFuture.runAsync(() -> {
            try {
                fault.happen(scene);
                bench.pair().lag(fault == Fault.PROMOTED); // what was logged is on the replica too, then
                foreign.set(bench.pair().contents());
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
        try {
            struck.get(HELD_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException waits) {
            // for what Blobmark holds
        } finally {
            victim.release();
        }
        struck.get(FAULT_SECONDS, TimeUnit.SECONDS);
        return foreign.get();
    }
}
