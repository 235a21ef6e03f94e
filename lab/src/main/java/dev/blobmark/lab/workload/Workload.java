package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.ConnectionHandling;
import dev.blobmark.lab.client.Preparation;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.study.Words;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the operations of a trial do. A level of the factor {@code workload}. */
public interface Workload {

    /** Every workload but {@link Mix}, of which there is one for each share; adding one is adding a line. The first is the default. */
    List<Workload> ALL =
            List.of(new Fetch(), new CodecOnly(), new Insert(), new Update(), new Scan(), new Membership());

    Factor<Workload> FACTOR = new Factor<>(
            "workload",
            Factor.Home.CONDITION,
            Set.of(Factor.Shape.CODE_PATH),
            Set.of(),
            "what an operation does; mix:90 is 90 % fetch, the rest update",
            Stream.concat(ALL.stream().map(Workload::id), Stream.of(Mix.EXAMPLE))
                    .toList(),
            Optional.of(ALL.get(0).id()),
            Workload::parse,
            Workload::id);

    /** The state of the table that each window of a trial begins with. */
    enum Start {
        /** As it was loaded for all trials that only read it. */
        SHARED,
        /** Of its own, and loaded anew. */
        LOADED,
        /** Of its own, and without a row. */
        EMPTY
    }

    String id();

    String description();

    /** The types of operations that are measured apart, in the order of their numbers. */
    List<String> operationTypes();

    /** What it does, which decides the factors that matter to it. */
    Set<Factor.Use> uses();

    /** Whether it works on a store; otherwise on the values alone. */
    default boolean usesTable() {
        return uses().contains(Factor.Use.STORE);
    }

    /** What it finds in its table; of no meaning without one. */
    default Start start() {
        return Start.SHARED;
    }

    /**
     * How many operations a warm-up begins with, of rows numbered from 0: as many as work on each row of a table of so many once,
     * unless {@link Operation#readThrough} does.
     */
    default int sweep(Design design, int rows) {
        return usesTable() ? rows : 0;
    }

    /**
     * How long a trial is measured: as scheduled, unless its levels say otherwise.
     *
     * @param rows of its table, or how many values there are
     */
    default Window window(Design design, Window scheduled, int rows) {
        return scheduled;
    }

    /**
     * Whether the time that a type of operation is measured over is the time spent in it, rather than the whole window:
     * so where types only share a window for convenience, not because they compete.
     */
    boolean typesApart();

    /** Whether an operation reads all of its table. */
    default boolean readsAll() {
        return false;
    }

    /** Whether an operation reads or writes one value, so that its size class tells of it. */
    default boolean worksOnOneValue(Design design) {
        return design.get(Batch.FACTOR) == 1;
    }

    /** Opens one worker's way to do operations. The worker's thread calls it, and closes what it returns. */
    Operation open(Setup setup) throws Exception;

    /**
     * Opens a way to do operations with several in flight and no thread blocked for them; only called for trials whose
     * {@link dev.blobmark.lab.client.ClientKind} is so.
     */
    default AsyncOperation openAsync(Setup setup, int inFlight) throws Exception {
        throw new UnsupportedOperationException(id() + " has no asynchronous client");
    }

    /** Whether what lies in its table are keys alone, a set. */
    default boolean holdsKeys() {
        return uses().contains(Factor.Use.SET);
    }

    /** Whether each operation may use another connection; otherwise a worker keeps its own. */
    default boolean returnsConnections() {
        return false;
    }

    /** Why a trial cannot return its connection after each operation as its levels ask; empty if it can, or does not. */
    static Optional<String> keptConnection(Design design) {
        ConnectionHandling handling = design.get(ConnectionHandling.FACTOR);
        Workload workload = design.get(FACTOR);
        if (handling.isKept() || workload.returnsConnections()) {
            return Preparation.outliving(design);
        }
        String able = ALL.stream()
                .filter(Workload::returnsConnections)
                .map(Workload::id)
                .sorted()
                .collect(Collectors.joining(" and "));
        return Optional.of("connection is " + handling + ", but " + workload.id()
                + " keeps its connection from one operation to the next; give it thread-local, or take one of the workloads "
                + able);
    }

    private static Workload parse(String level) {
        return ALL.stream()
                .filter(workload -> workload.id().equals(level))
                .findFirst()
                .or(() -> Mix.find(level))
                .orElseThrow(() -> new IllegalArgumentException("unknown workload '" + level + "'; "
                        + Words.suggest(level, ALL.stream().map(Workload::id).toList())
                        + "; mix:90 is 90 % fetch, the rest update"));
    }
}
