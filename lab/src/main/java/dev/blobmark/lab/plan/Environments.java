package dev.blobmark.lab.plan;

import dev.blobmark.lab.environment.CpuShare;
import dev.blobmark.lab.environment.Durability;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.environment.Pool;
import dev.blobmark.lab.environment.Storage;
import dev.blobmark.lab.environment.WorkingSet;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * The environments that trials need.
 *
 * @param applicationBytes returns the application bytes of a source
 */
public record Environments(ToLongFunction<ValuesSource> applicationBytes) {

    /** The names of the factors that decide the environment, except those of {@link Environment#VARIABLES}. */
    static final Set<String> FACTORS = Factors.VOCABULARY.shaping(Factor.Shape.SERVER);

    /** @throws IllegalArgumentException if no server can have this environment; the message has the remedy */
    Environment of(Design design) {
        TreeMap<String, String> layoutVariables =
                new TreeMap<>(design.get(Layout.FACTOR).serverVariables());
        TreeMap<String, String> variables = new TreeMap<>();
        design.levels()
                .byFactor()
                .forEach((factor, level) -> Environment.variableOf(factor).ifPresent(name -> {
                    if (layoutVariables.containsKey(name)
                            || layoutVariables.containsKey(name.replaceFirst("^loose_", ""))) {
                        throw new IllegalArgumentException(factor + "=" + level + ": the layout "
                                + design.level(Layout.FACTOR) + " sets this variable itself; leave one of them out");
                    }
                    if (design.get(Pool.FACTOR) == Pool.COLD && Environment.loadsBufferPool(name, level)) {
                        throw new IllegalArgumentException(factor + "=" + level
                                + ": a server that reloads its buffer pool when it starts cannot have pool=cold;"
                                + " leave the variable out, or use pool=warm");
                    }
                    variables.put(name, level);
                }));
        WorkingSet workingSet = design.get(WorkingSet.FACTOR);
        return new Environment(
                design.get(Durability.FACTOR),
                design.get(Storage.FACTOR),
                workingSet.ratio().isEmpty()
                        ? workingSet.poolBytes(0)
                        : workingSet.poolBytes(applicationBytes.applyAsLong(ValuesSource.of(design))),
                design.get(CpuShare.FACTOR),
                variables,
                layoutVariables);
    }

    /**
     * The levels that only an own server can have: {@code durability=lazy}; may be empty.
     *
     * @param isOwnCluster whether SQL nodes are started for the trial, which can have variables but no files
     */
    public static String onlyOnOwnServer(Design design, boolean isOwnCluster) {
        return Factors.VOCABULARY.identity(design.levels()
                .only(factor -> FACTORS.contains(factor) || !isOwnCluster && Environment.VARIABLES.has(factor)));
    }
}
