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
 * The environments that trials need of a server.
 *
 * @param applicationBytes of the values of a source
 */
public record Environments(ToLongFunction<ValuesSource> applicationBytes) {

    /** The names of the factors that make one, beside those of {@link Environment#VARIABLES}. */
    static final Set<String> FACTORS = Factors.VOCABULARY.shaping(Factor.Shape.SERVER);

    /** @throws IllegalArgumentException if no server can be like that, with the mend */
    Environment of(Design design) {
        TreeMap<String, String> ofLayout =
                new TreeMap<>(design.get(Layout.FACTOR).serverVariables());
        TreeMap<String, String> variables = new TreeMap<>();
        design.levels()
                .byFactor()
                .forEach((factor, level) -> Environment.variableOf(factor).ifPresent(name -> {
                    if (ofLayout.containsKey(name) || ofLayout.containsKey(name.replaceFirst("^loose_", ""))) {
                        throw new IllegalArgumentException(factor + "=" + level + ": the layout "
                                + design.level(Layout.FACTOR) + " sets this variable itself; leave one of them out");
                    }
                    if (design.get(Pool.FACTOR) == Pool.COLD && Environment.loadsThePool(name, level)) {
                        throw new IllegalArgumentException(factor + "=" + level
                                + ": a server that loads its buffer pool at the start does not begin with pool=cold;"
                                + " leave the variable out, or take pool=warm");
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
                ofLayout);
    }

    /**
     * What of a trial's levels only a server that is started for it can have: {@code durability=lazy}; empty where nothing is.
     *
     * @param isOwnCluster whether SQL nodes are started for it, which can have variables of their own, but no files
     */
    public static String unusual(Design design, boolean isOwnCluster) {
        return Factors.VOCABULARY.identity(design.levels()
                .only(factor -> FACTORS.contains(factor) || !isOwnCluster && Environment.VARIABLES.has(factor)));
    }
}
