package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.ServerSession;
import dev.blobmark.lab.admission.StoreSession;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.plan.Block;
import dev.blobmark.lab.plan.CostModel;
import dev.blobmark.lab.plan.Encoding;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.plan.StoreDesign;
import dev.blobmark.lab.plan.ValuesSource;
import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.store.DowngradeException;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Placement;
import dev.blobmark.lab.store.Store;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.mysql.client.UnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.LongConsumer;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Encodes the values of a block and loads them into its tables.
 *
 * @param sources opens the values of a source
 * @param values directory of encoded values that are not the user's own
 * @param ownValues directory of the user's own encoded values
 * @param serverName name of the MySQL server in the manifest
 * @param events receives the results
 * @param mysql session on the MySQL server; loading pauses while that is busy
 * @param sessions on the servers of all kinds of stores in the study
 */
record Loading(
        Function<ValuesSource, Values> sources,
        Path values,
        Path ownValues,
        String serverName,
        CostModel costs,
        Listener listener,
        Events events,
        Optional<ServerSession> mysql,
        Map<StoreKind, StoreSession> sessions) {

    /** Receives the results of loading. */
    interface Events {

        /** Values have been generated or read, and their digest is known. */
        void note(ValuesSource source, Values values);

        /** All values of a block have been encoded, or all tables loaded. */
        void write();

        void note(LoadedStore store);

        /** A table could not be loaded, so its trials cannot be measured. */
        void notLoaded(Block block, StoreDesign store, Outcome why);

        /** The operating system's figures contradict the server's about a table's files. */
        void contradicted(StoreDesign store, String event);

        /** Throws the exception that ends the run, if it must end. */
        void stopIfInterrupted();
    }

    /**
     * The values and tables of a block's trials.
     *
     * @param disk space of the shared stores that could be loaded
     */
    record Loaded(
            Block block,
            Map<StoreKind, StoreSession> sessions,
            Map<Encoding, EncodedValues> values,
            Map<StoreDesign, DiskSpace> disk) {

        /** The trials that can be measured: all except those whose store could not be loaded. */
        List<ForkPlan.PlannedTrial> planned() {
            List<ForkPlan.PlannedTrial> planned = new ArrayList<>();
            for (Trial trial : block.trials()) {
                String file = values.get(Encoding.of(trial.design())).path().toString();
                if (!StoreDesign.isUsedBy(trial)) {
                    planned.add(new ForkPlan.PlannedTrial(trial, file, Optional.empty()));
                } else if (StoreDesign.isOwnedBy(trial) || disk.containsKey(StoreDesign.of(trial))) {
                    StoreDesign store = StoreDesign.of(trial);
                    ForkPlan.LoadedTable place = session(store)
                            .place(block.tableName(store), store.design(), disk.getOrDefault(store, DiskSpace.UNKNOWN));
                    planned.add(new ForkPlan.PlannedTrial(trial, file, Optional.of(place)));
                }
            }
            return planned;
        }

        private StoreSession session(StoreDesign store) {
            return sessions.get(store.kind());
        }

        void drop() throws SQLException {
            for (StoreDesign store : disk.keySet()) {
                String name = block.tableName(store);
                session(store).drop(name);
                if (block.isReadCold(store)) {
                    session(store).drop(Setup.warmUpTable(name));
                }
            }
        }
    }

    /** Loads the values and tables of a block's trials. */
    Loaded load(Block block) throws IOException, SQLException, InterruptedException {
        Map<Encoding, EncodedValues> encoded = encode(block);
        return new Loaded(block, sessions, encoded, fill(block, encoded));
    }

    private Map<Encoding, EncodedValues> encode(Block block) throws IOException {
        Map<ValuesSource, Values> raw = new HashMap<>();
        Map<Encoding, EncodedValues> encoded = new HashMap<>();
        for (Encoding encoding : block.encodings()) {
            ValuesSource source = encoding.source();
            Path directory = source.directory(values, ownValues);
            double expected = costs.encoding(encoding, directory);
            listener.stepStarted("encoding " + encoding);
            Values opened = raw.computeIfAbsent(source, sources);
            EncodedValues done = EncodedValues.of(opened, encoding.codec(), directory, bytes -> {
                events.stopIfInterrupted();
                listener.workDone(expected * bytes / Math.max(1, opened.totalLength()));
            });
            if (encoding.isRaw()) {
                events.note(source, opened);
                raw.put(source, done.asValues(opened.digest()));
            }
            encoded.put(encoding, done);
        }
        events.write();
        return encoded;
    }

    private Map<StoreDesign, DiskSpace> fill(Block block, Map<Encoding, EncodedValues> encoded)
            throws IOException, SQLException, InterruptedException {
        Map<StoreDesign, DiskSpace> disk = new LinkedHashMap<>();
        for (StoreDesign store : block.sharedStores()) {
            listener.stepStarted("loading " + store.encoding() + " into " + store.place());
            if (mysql.isPresent()) {
                mysql.get().awaitLowLoad(events::stopIfInterrupted);
            }
            StoreSession session = sessions.get(store.kind());
            try {
                disk.put(store, fill(block, store, session, encoded.get(store.encoding())));
            } catch (UnavailableException e) {
                notLoaded(block, store, new Outcome.Unavailable(e.getMessage()), e);
            } catch (DowngradeException | WrongValueException | SQLException | JedisException e) {
                notLoaded(block, store, new Outcome.Failed(e.getMessage()), e);
            }
        }
        events.write();
        return disk;
    }

    private void notLoaded(Block block, StoreDesign store, Outcome why, Exception failure) throws SQLException {
        events.stopIfInterrupted(); // Ctrl-C also reaches the server, and a load that it ends has not failed
        StoreSession session = sessions.get(store.kind());
        String name = block.tableName(store);
        session.requireServer("loading " + name, failure);
        session.drop(name);
        events.notLoaded(block, store, why);
    }

    private DiskSpace fill(Block block, StoreDesign shared, StoreSession session, EncodedValues values)
            throws SQLException {
        double expected = costs.loading(shared);
        LongConsumer loaded = bytes -> {
            events.stopIfInterrupted();
            mysql.ifPresent(busy -> busy.pauseIfBusy(events::stopIfInterrupted));
            listener.workDone(expected * bytes / Math.max(1, values.storedBytes()));
        };
        String name = block.tableName(shared);
        Store store = session.store(name, shared.design(), values);
        SortedMap<String, String> verified = store.create();
        store.load(values, loaded);
        DiskSpace disk = session.disk(store);
        Placement placement = store.placement(values);
        Optional<Path> dataDirectory = session.dataDirectory();
        if (dataDirectory.isPresent() && disk.allocatedBytes().isPresent()) {
            store.contradiction(disk.allocatedBytes().getAsLong(), dataDirectory.get())
                    .ifPresent(event -> events.contradicted(shared, event));
        }
        store.readBack(values);
        if (block.isReadCold(shared)) {
            Store warmUp = session.store(Setup.warmUpTable(name), shared.design(), values);
            warmUp.create();
            warmUp.load(values, Setup.warmUpRows(values), bytes -> {});
        }
        StoreKind kind = shared.kind();
        events.note(new LoadedStore(
                kind == StoreKinds.MYSQL ? serverName : kind.word(),
                shared.levels(),
                store.shownName(),
                store.ddl(),
                verified,
                LoadedStore.LoadedContent.of(values),
                disk,
                placement));
        return disk;
    }
}
