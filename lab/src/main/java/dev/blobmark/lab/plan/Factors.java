package dev.blobmark.lab.plan;

import dev.blobmark.lab.client.BatchBytes;
import dev.blobmark.lab.client.ClientKind;
import dev.blobmark.lab.client.ConnectionHandling;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Preparation;
import dev.blobmark.lab.client.StatementProtocol;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.client.WireCompression;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Rows;
import dev.blobmark.lab.environment.CpuShare;
import dev.blobmark.lab.environment.Durability;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.environment.Pool;
import dev.blobmark.lab.environment.Storage;
import dev.blobmark.lab.environment.WorkingSet;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.Decode;
import dev.blobmark.lab.store.Inline;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.LoadOrder;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.store.Structure;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Size;
import dev.blobmark.lab.study.Vocabulary;
import dev.blobmark.lab.workload.Batch;
import dev.blobmark.lab.workload.Commit;
import dev.blobmark.lab.workload.Hits;
import dev.blobmark.lab.workload.Insert;
import dev.blobmark.lab.workload.Keys;
import dev.blobmark.lab.workload.Workload;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The factors that a study may speak of. Each is defined where its levels are at home; here is the list. */
public final class Factors {

    public static final Vocabulary VOCABULARY = new Vocabulary(
            List.of(
                    Workload.FACTOR,
                    Datasets.FACTOR,
                    Size.FACTOR,
                    Rows.FACTOR,
                    StoreKinds.FACTOR,
                    Layout.FACTOR,
                    Column.FACTOR,
                    Inline.FACTOR,
                    StoredCodec.FACTOR,
                    Decode.FACTOR,
                    Driver.FACTOR,
                    StatementProtocol.FACTOR,
                    ClientKind.FACTOR,
                    ConnectionHandling.FACTOR,
                    Preparation.FACTOR,
                    WireCompression.FACTOR,
                    Batch.FACTOR,
                    BatchBytes.READ.factor(),
                    BatchBytes.WRITE.factor(),
                    BatchBytes.ROWS.factor(),
                    Keys.FACTOR,
                    Structure.FACTOR,
                    LoadOrder.FACTOR,
                    Hits.FACTOR,
                    Commit.FACTOR,
                    Link.FACTOR,
                    Tls.FACTOR,
                    Threads.FACTOR,
                    Load.FACTOR,
                    Processes.FACTOR,
                    Jvm.FACTOR,
                    Durability.FACTOR,
                    Storage.FACTOR,
                    WorkingSet.FACTOR,
                    Pool.FACTOR,
                    CpuShare.FACTOR),
            List.of(Environment.VARIABLES),
            Factors::relevant,
            List.of(
                    Factors::serverDecodesItsOwnFormat,
                    Processes::withoutThread,
                    Insert::unevenBatch,
                    ConnectionHandling::notBorrowing,
                    Factors::redisHoldsSets));

    private Factors() {}

    /** What only a table of a cluster has. */
    private static final Set<String> OF_CLUSTER = Stream.concat(Stream.of(Inline.FACTOR), BatchBytes.factors().stream())
            .map(Factor::name)
            .collect(Collectors.toUnmodifiableSet());

    private static final Set<String> OF_PARTS = Set.of(
            Inline.FACTOR.name(),
            BatchBytes.READ.factor().name(),
            BatchBytes.WRITE.factor().name());

    private static Set<String> relevant(Levels levels) {
        Set<String> names = new HashSet<>(Workload.FACTOR.of(levels).factors());
        names.add(Workload.FACTOR.name());
        // whatever a trial does, it is measuring JVMs that do it
        names.add(Processes.FACTOR.name());
        names.add(Jvm.FACTOR.name());
        // whatever a trial does with a table, it is on a server that has been started in some way
        if (Workload.FACTOR.of(levels).usesTable()) {
            names.addAll(Environments.FACTORS);
            levels.byFactor().keySet().stream()
                    .filter(Environment.VARIABLES::has)
                    .forEach(names::add);
        }
        if (!Datasets.FACTOR.of(levels).hasSize()) {
            names.remove(Size.FACTOR.name());
        }
        names.removeAll(StoreKinds.FACTOR.of(levels) == StoreKinds.REDIS ? OF_MYSQL : OF_REDIS);
        if (ClientKind.FACTOR.of(levels) == ClientKind.ASYNC) {
            names.removeAll(OF_BLOCKING);
        }
        if (names.contains(Layout.FACTOR.name()) && Layout.FACTOR.of(levels).isClustered()) {
            names.addAll(OF_CLUSTER);
            if (!Column.FACTOR.of(levels).hasParts()) {
                names.removeAll(OF_PARTS);
            }
        }
        return names;
    }

    /** What a set in Redis has no use for. */
    private static final Set<String> OF_MYSQL = Set.of(
            Layout.FACTOR.name(),
            Driver.FACTOR.name(),
            StatementProtocol.FACTOR.name(),
            WireCompression.FACTOR.name(),
            ConnectionHandling.FACTOR.name(),
            Preparation.FACTOR.name());

    private static final Set<String> OF_REDIS = Set.of(Structure.FACTOR.name());

    /** What is a blocking client's choice alone. */
    private static final Set<String> OF_BLOCKING = Set.of(
            Driver.FACTOR.name(),
            StatementProtocol.FACTOR.name(),
            WireCompression.FACTOR.name(),
            ConnectionHandling.FACTOR.name(),
            Preparation.FACTOR.name());

    private static Optional<String> redisHoldsSets(Levels levels) {
        Workload workload = Workload.FACTOR.of(levels);
        boolean isAsync = ClientKind.FACTOR.of(levels) == ClientKind.ASYNC;
        if (workload.holdsKeys()) {
            return isAsync && !(Load.FACTOR.of(levels) instanceof Load.Closed)
                    ? Optional.of(
                            "client is async, which begins the next operation as one ends; set rate to closed, or client to"
                                    + " blocking")
                    : Optional.empty();
        }
        return !StoreKinds.FACTOR.of(levels).holdsValues() || isAsync
                ? Optional.of(
                        "store is " + StoreKinds.FACTOR.levelIn(levels) + " and client "
                                + ClientKind.FACTOR.levelIn(levels) + ", but " + workload.id()
                                + " works on values in MySQL over JDBC; take the workload membership, or store=mysql and client=blocking")
                : Optional.empty();
    }

    private static Optional<String> serverDecodesItsOwnFormat(Levels levels) {
        String codec = StoredCodec.FACTOR.levelIn(levels);
        return Decode.FACTOR.of(levels) == Decode.SERVER && !codec.startsWith("mysql")
                ? Optional.of("decode is 'server', but UNCOMPRESS() reads the format of codec 'mysql' only, not '"
                        + codec + "'; set codec to mysql, or decode to application")
                : Optional.empty();
    }
}
