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
import dev.blobmark.lab.link.Via;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.Decode;
import dev.blobmark.lab.store.Inline;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.LoadOrder;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.store.Structure;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.store.postgres.Toast;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Size;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Vocabulary;
import dev.blobmark.lab.workload.Batch;
import dev.blobmark.lab.workload.Commit;
import dev.blobmark.lab.workload.Draw;
import dev.blobmark.lab.workload.Hits;
import dev.blobmark.lab.workload.Insert;
import dev.blobmark.lab.workload.Keys;
import dev.blobmark.lab.workload.Threads;
import dev.blobmark.lab.workload.Workload;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The list of all factors. Each is defined in the class of its levels. */
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
                    Toast.FACTOR,
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
                    Draw.FACTOR,
                    Commit.FACTOR,
                    Link.FACTOR,
                    Via.FACTOR,
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
                    Factors::undecodableByServer,
                    Factors::encodedText,
                    Factors::numberedSet,
                    Processes::moreThanThreads,
                    Insert::unevenBatch,
                    Workload::connectionProblem,
                    Factors::wrongStoreOrClient,
                    Factors::unsupportedByPostgres));

    private static final Set<String> CODE_PATH = VOCABULARY.shaping(Factor.Shape.CODE_PATH);

    private Factors() {}

    /** The levels that decide which code of client and driver a trial executes. */
    public static String codePath(Trial trial) {
        return trial.levels().only(CODE_PATH::contains).toString();
    }

    /** The names of the factors that matter to a trial: those whose needs it meets, and stated server variables. */
    private static Set<String> relevant(Design design) {
        Set<Factor.Use> uses = uses(design);
        Set<String> names = VOCABULARY.factors().stream()
                .filter(factor -> factor.mattersTo(uses))
                .map(Factor::name)
                .collect(Collectors.toCollection(HashSet::new));
        if (uses.contains(Factor.Use.STORE)) {
            design.levels().byFactor().keySet().stream()
                    .filter(Environment.VARIABLES::has)
                    .forEach(names::add);
        }
        return names;
    }

    private static Set<Factor.Use> uses(Design design) {
        Set<Factor.Use> uses = EnumSet.noneOf(Factor.Use.class);
        uses.addAll(design.get(Workload.FACTOR).uses());
        if (design.get(Datasets.FACTOR).hasSize()) {
            uses.add(Factor.Use.SIZED);
        }
        if (uses.contains(Factor.Use.STORE)) {
            uses.addAll(design.get(StoreKinds.FACTOR).uses(design));
            if (design.get(ClientKind.FACTOR) == ClientKind.BLOCKING) {
                uses.add(Factor.Use.BLOCKING);
            }
        }
        return uses;
    }

    private static Optional<String> wrongStoreOrClient(Design design) {
        Workload workload = design.get(Workload.FACTOR);
        boolean isAsync = design.get(ClientKind.FACTOR) == ClientKind.ASYNC;
        if (workload.holdsKeys()) {
            return isAsync && !(design.get(Load.FACTOR) instanceof Load.Closed)
                    ? Optional.of(
                            "client is async, which starts an operation when another one ends, and cannot have a rate;"
                                    + " set rate to closed, or client to blocking")
                    : Optional.empty();
        }
        return !design.get(StoreKinds.FACTOR).holdsValues() || isAsync
                ? Optional.of("store is " + design.level(StoreKinds.FACTOR) + " and client "
                        + design.level(ClientKind.FACTOR) + ", but " + workload.id()
                        + " works on values in MySQL over JDBC; use the workload membership, or store=mysql and"
                        + " client=blocking")
                : Optional.empty();
    }

    private static Optional<String> unsupportedByPostgres(Design design) {
        if (design.get(StoreKinds.FACTOR) != StoreKinds.POSTGRESQL) {
            return Optional.empty();
        }
        Workload workload = design.get(Workload.FACTOR);
        if (workload.holdsKeys() || workload.readsAll()) {
            return Optional.of("store is postgresql, but " + workload.id()
                    + " works on MySQL or Redis; use fetch, insert, update or a mix, or another store");
        }
        return Stream.of(WorkingSet.FACTOR, Pool.FACTOR, CpuShare.FACTOR)
                .filter(factor ->
                        !design.level(factor).equals(factor.defaultLevel().orElse("")))
                .findFirst()
                .map(factor -> factor.name() + " is " + design.level(factor)
                        + ", which needs InnoDB or a server of one process; leave it out with store=postgresql");
    }

    private static Optional<String> encodedText(Design design) {
        Column column = design.get(Column.FACTOR);
        if (!column.content().isPlain()) {
            return Optional.empty();
        }
        String codec = design.level(StoredCodec.FACTOR);
        if (!codec.equals("none")) {
            return Optional.of("column is " + column.id() + ", and values encoded by codec " + codec
                    + " are neither text nor JSON; use column mediumblob for this method, or codec none");
        }
        if (design.get(Layout.FACTOR).isClustered()) {
            return Optional.of("column is " + column.id() + ", which is not measured in a cluster; use mediumblob");
        }
        Workload workload = design.get(Workload.FACTOR);
        return workload.start() == Workload.InitialTable.SHARED
                        || column.content().returnsBytes()
                ? Optional.empty()
                : Optional.of(
                        "column is " + column.id() + ", which may return values in another form, and " + workload.id()
                                + " compares what it wrote byte for byte; use fetch or scan, or column longtext");
    }

    private static Optional<String> numberedSet(Design design) {
        Layout layout = design.get(Layout.FACTOR);
        return design.get(Workload.FACTOR).holdsKeys() && layout.isNumbered()
                ? Optional.of("layout is " + layout.id() + ", but the keys of a set are not numbers; use layout ndb")
                : Optional.empty();
    }

    private static Optional<String> undecodableByServer(Design design) {
        String codec = design.level(StoredCodec.FACTOR);
        return design.get(Decode.FACTOR) == Decode.SERVER && !codec.startsWith("mysql")
                ? Optional.of("decode is 'server', but UNCOMPRESS() reads the format of codec 'mysql' only, not '"
                        + codec + "'; set codec to mysql, or decode to application")
                : Optional.empty();
    }
}
