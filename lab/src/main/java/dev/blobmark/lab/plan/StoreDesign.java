package dev.blobmark.lab.plan;

import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Rows;
import dev.blobmark.lab.store.LoadOrder;
import dev.blobmark.lab.store.StoreCosts;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Size;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.workload.Workload;
import java.util.HashSet;
import java.util.Set;

/**
 * What lies in a table or a set. Trials that only read share the store if they agree on the factors that shape one
 * ({@link Factor.Shape#STORE}); a trial that writes has its own, and then the design is the trial's.
 */
public record StoreDesign(Design design) {

    private static final Set<String> SHAPING = Factors.VOCABULARY.shaping(Factor.Shape.STORE);

    public static StoreDesign of(Trial trial) {
        return new StoreDesign(
                isOwnedBy(trial) ? trial.design() : trial.design().only(SHAPING::contains));
    }

    /** Whether a trial works on a store, and not on values in memory alone. */
    public static boolean isUsedBy(Trial trial) {
        return trial.design().get(Workload.FACTOR).usesTable();
    }

    /** Whether a trial has a store of its own, which is made again for each of its windows. */
    public static boolean isOwnedBy(Trial trial) {
        return trial.design().get(Workload.FACTOR).start() != Workload.Start.SHARED;
    }

    public Levels levels() {
        return design.levels();
    }

    public StoreKind kind() {
        return design.get(StoreKinds.FACTOR);
    }

    public StoreCosts costs() {
        return kind().costs(design);
    }

    /** The values in it. */
    public ValuesSource source() {
        return ValuesSource.of(design);
    }

    /** The values in it, as they are encoded. */
    public Encoding encoding() {
        return Encoding.of(design);
    }

    /** Whether it is a set of keys, and not a table of values. */
    public boolean isSet() {
        return LoadOrder.isOfSet(design);
    }

    /** The product that holds it, and the levels that are not the defaults: {@code MySQL, layout=compressed:8}. */
    public String place() {
        Set<String> ofValues = Set.of(
                Datasets.FACTOR.name(),
                Size.FACTOR.name(),
                Rows.FACTOR.name(),
                StoredCodec.FACTOR.name(),
                StoreKinds.FACTOR.name());
        String levels = Factors.VOCABULARY.identity(
                levels().only(factor -> SHAPING.contains(factor) && !ofValues.contains(factor)));
        return kind().product() + (levels.isEmpty() ? "" : ", " + levels);
    }

    /** Statements or commands that make it, as a plan shows them. */
    String ddl(String schema, String name) {
        return kind().ddl(schema, name, design);
    }

    /** What lies in it, in the characters of a table's name: the levels of the factors that shape it. */
    String nameSuffix() {
        Set<String> named = new HashSet<>(SHAPING);
        if (design.get(Rows.FACTOR).isEmpty()) {
            named.remove(Rows.FACTOR.name());
        }
        return String.join("_", levels().only(named::contains).byFactor().values())
                .replaceAll("[^A-Za-z0-9]+", "_");
    }
}
