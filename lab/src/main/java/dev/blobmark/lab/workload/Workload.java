package dev.blobmark.lab.workload;

import dev.blobmark.lab.study.Factor;
import java.util.List;
import java.util.Set;

/** What the operations of a trial do. A level of the factor {@code workload}. */
public interface Workload {

    /** Every workload; adding one is adding a line. The first is the default. */
    List<Workload> ALL = List.of(new Fetch(), new CodecOnly());

    Factor<Workload> FACTOR =
            Factor.ofWords("workload", Factor.Home.CONDITION, "what an operation does", ALL, Workload::id);

    String id();

    String description();

    /** The types of operations that are measured apart, in the order of their numbers. */
    List<String> operationTypes();

    /** The names of the factors that matter to it, beside {@code workload} itself. */
    Set<String> factors();

    /** Whether it works on a table; otherwise on the values alone. */
    boolean usesTable();

    /**
     * Whether the time that a type of operation is measured over is the time spent in it, rather than the whole window:
     * so where types only share a window for convenience, not because they compete.
     */
    boolean typesApart();

    /** Opens one worker's way to do operations. The worker's thread calls it, and closes what it returns. */
    Operation open(Setup setup) throws Exception;
}
