package dev.blobmark.lab;

import dev.blobmark.lab.client.ConnectionHandling;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.StatementProtocol;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.client.WireCompression;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Rows;
import dev.blobmark.lab.engine.Jvm;
import dev.blobmark.lab.engine.Load;
import dev.blobmark.lab.engine.Processes;
import dev.blobmark.lab.engine.Threads;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.server.CpuShare;
import dev.blobmark.lab.server.Durability;
import dev.blobmark.lab.server.Environment;
import dev.blobmark.lab.server.Pool;
import dev.blobmark.lab.server.Storage;
import dev.blobmark.lab.server.WorkingSet;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.Decode;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Factor.Home;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Size;
import dev.blobmark.lab.study.Vocabulary;
import dev.blobmark.lab.workload.Batch;
import dev.blobmark.lab.workload.Commit;
import dev.blobmark.lab.workload.Insert;
import dev.blobmark.lab.workload.Keys;
import dev.blobmark.lab.workload.Workload;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The factors that a study may speak of. Each is defined where its levels are at home; here is the list. */
public final class Factors {

    private static final Factor<String> STORE =
            word("store", Home.METHOD, "what kind of store holds the values", "mysql");

    public static final Vocabulary VOCABULARY = new Vocabulary(
            List.of(
                    Workload.FACTOR,
                    Datasets.FACTOR,
                    Size.FACTOR,
                    Rows.FACTOR,
                    STORE,
                    Layout.FACTOR,
                    Column.FACTOR,
                    StoredCodec.FACTOR,
                    Decode.FACTOR,
                    Driver.FACTOR,
                    StatementProtocol.FACTOR,
                    ConnectionHandling.FACTOR,
                    WireCompression.FACTOR,
                    Batch.FACTOR,
                    Keys.FACTOR,
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
                    ConnectionHandling::notBorrowing));

    private Factors() {}

    private static Factor<String> word(String name, Home home, String description, String level) {
        return Factor.ofWords(name, home, description, List.of(level), Function.identity());
    }

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
        return names;
    }

    private static Optional<String> serverDecodesItsOwnFormat(Levels levels) {
        String codec = StoredCodec.FACTOR.levelIn(levels);
        return Decode.FACTOR.of(levels) == Decode.SERVER && !codec.startsWith("mysql")
                ? Optional.of("decode is 'server', but UNCOMPRESS() reads the format of codec 'mysql' only, not '"
                        + codec + "'; set codec to mysql, or decode to application")
                : Optional.empty();
    }
}
