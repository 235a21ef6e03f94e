package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.ConnectionHandling;
import dev.blobmark.lab.client.Preparation;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Spelling;
import dev.blobmark.lab.study.Window;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the operations of a trial do. A level of the factor {@code workload}. */
public interface Workload {

    /**
     * All workloads except {@link Mix}, which has one per percentage. To add one, add a line. The first is the default.
     */
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
                    Workload::id)
            .withForm(Factor.alternatives(ALL.stream().map(Workload::id).toList()) + "|mix:[0-9]{1,3}");

    /** The table with which each window of a trial begins. */
    enum InitialTable {
        /** Loaded once for all trials that only read it. */
        SHARED,
        /** The trial's own, loaded again for each window. */
        LOADED,
        /** The trial's own, empty. */
        EMPTY
    }

    String id();

    String description();

    /** The types of operations that are measured separately, in the order of their numbers. */
    List<String> operationTypes();

    /** What it uses, which decides which factors apply to it. */
    Set<Factor.Use> uses();

    /** Whether it works on a store. Otherwise, it works on the values alone. */
    default boolean usesTable() {
        return uses().contains(Factor.Use.STORE);
    }

    /** The state of its table; meaningless without one. */
    default InitialTable start() {
        return InitialTable.SHARED;
    }

    /**
     * The number of operations at the beginning of a warm-up that work on rows 0, 1, 2 and so on. It covers each row of
     * the table once, unless {@link Operation#readThrough} does.
     */
    default int sweep(Design design, int rows) {
        return usesTable() ? rows : 0;
    }

    /**
     * The window of a trial: the scheduled one, unless its levels require another.
     *
     * @param rows of its table, or without one, the number of values
     */
    default Window window(Design design, Window scheduled, int rows) {
        return scheduled;
    }

    /**
     * Whether rates of an operation type are computed over the time spent in that type, not over the whole window. This
     * is so if types share a window only for convenience, and do not compete.
     */
    boolean timesTypesSeparately();

    /**
     * In what way a sample has not done what the level asks for, beyond chance; empty if it has.
     *
     * @param counts operations of each type
     */
    default Optional<String> contradiction(SortedMap<String, Long> counts) {
        return Optional.empty();
    }

    /** Whether an operation reads the whole table. */
    default boolean readsAll() {
        return false;
    }

    /** Whether an operation reads or writes exactly one value, so that it belongs to one size class. */
    default boolean worksOnOneValue(Design design) {
        return design.get(Batch.FACTOR) == 1;
    }

    /** Opens the operation of one worker. The worker's thread calls this method, and closes the result. */
    Operation open(Setup setup) throws Exception;

    /**
     * Opens an asynchronous operation; only called for trials whose {@link dev.blobmark.lab.client.ClientKind} is
     * asynchronous.
     */
    default AsyncOperation openAsync(Setup setup, int inFlight) throws Exception {
        throw new UnsupportedOperationException(id() + " has no asynchronous client");
    }

    /** Whether its table is a set, which holds only keys. */
    default boolean holdsKeys() {
        return uses().contains(Factor.Use.SET);
    }

    /** Whether each operation may use another connection. Otherwise, a worker keeps its connection. */
    default boolean returnsConnections() {
        return false;
    }

    /** Why a trial cannot return its connection after each operation although its levels require it. */
    static Optional<String> connectionProblem(Design design) {
        ConnectionHandling handling = design.get(ConnectionHandling.FACTOR);
        Workload workload = design.get(FACTOR);
        if (handling.isKept() || workload.returnsConnections()) {
            return Preparation.problem(design);
        }
        String capable = ALL.stream()
                .filter(Workload::returnsConnections)
                .map(Workload::id)
                .sorted()
                .collect(Collectors.joining(" and "));
        return Optional.of("connection is " + handling + ", but " + workload.id()
                + " keeps its connection from one operation to the next; use connection=thread-local, or one of the workloads "
                + capable);
    }

    /** {@link #contradiction(SortedMap)} of the workload of a condition. */
    static Optional<String> contradiction(Levels condition, SortedMap<String, Long> counts) {
        return condition.find(FACTOR).flatMap(level -> parse(level).contradiction(counts));
    }

    private static Workload parse(String level) {
        return ALL.stream()
                .filter(workload -> workload.id().equals(level))
                .findFirst()
                .or(() -> Mix.find(level))
                .orElseThrow(() -> new IllegalArgumentException("unknown workload '" + level + "'; "
                        + Spelling.suggest(level, ALL.stream().map(Workload::id).toList())
                        + "; mix:90 is 90 % fetch, the rest update"));
    }
}
