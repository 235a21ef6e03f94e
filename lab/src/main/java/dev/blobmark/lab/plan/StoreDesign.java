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
 * The content of a table or a set. Trials that only read share a store if they have the same levels of the factors that
 * shape it ({@link Factor.Shape#STORE}). A trial that writes has a store of its own, with all levels of the trial.
 */
public record StoreDesign(Design design) {

    private static final Set<String> SHAPING = Factors.VOCABULARY.shaping(Factor.Shape.STORE);

    public static StoreDesign of(Trial trial) {
        return new StoreDesign(
                isOwnedBy(trial) ? trial.design() : trial.design().only(SHAPING::contains));
    }

    /** Whether a trial uses a store, and not only values in memory. */
    public static boolean isUsedBy(Trial trial) {
        return trial.design().get(Workload.FACTOR).usesTable();
    }

    /** Whether a trial has a store of its own, which is created again for each of its windows. */
    public static boolean isOwnedBy(Trial trial) {
        return trial.design().get(Workload.FACTOR).start() != Workload.InitialTable.SHARED;
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

    public ValuesSource source() {
        return ValuesSource.of(design);
    }

    public Encoding encoding() {
        return Encoding.of(design);
    }

    /** Whether the store is a set of keys, not a table of values. */
    public boolean isSet() {
        return LoadOrder.isOfSet(design);
    }

    /** The product, and the levels that are not defaults: {@code MySQL, layout=compressed:8}. */
    public String place() {
        Set<String> valueFactors = Set.of(
                Datasets.FACTOR.name(),
                Size.FACTOR.name(),
                Rows.FACTOR.name(),
                StoredCodec.FACTOR.name(),
                StoreKinds.FACTOR.name());
        String levels = Factors.VOCABULARY.identity(
                levels().only(factor -> SHAPING.contains(factor) && !valueFactors.contains(factor)));
        return kind().product() + (levels.isEmpty() ? "" : ", " + levels);
    }

    /** The statements or commands that create the store, for the plan that is shown to the user. */
    String ddl(String schema, String name) {
        return kind().ddl(schema, name, design);
    }

    /** The levels that shape the store, in characters that are allowed in names of tables. */
    String nameSuffix() {
        Set<String> named = new HashSet<>(SHAPING);
        if (design.get(Rows.FACTOR).isEmpty()) {
            named.remove(Rows.FACTOR.name());
        }
        return String.join("_", levels().only(named::contains).byFactor().values())
                .replaceAll("[^A-Za-z0-9]+", "_");
    }
}
