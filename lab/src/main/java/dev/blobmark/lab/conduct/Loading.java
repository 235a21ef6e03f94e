package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.RedisSession;
import dev.blobmark.lab.admission.ServerSession;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.plan.Block;
import dev.blobmark.lab.plan.CostModel;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.store.BlockCompression;
import dev.blobmark.lab.store.DowngradeException;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.KeyTable;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.LoadOrder;
import dev.blobmark.lab.store.RedisSet;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.store.Structure;
import dev.blobmark.lab.store.Table;
import dev.blobmark.lab.store.UnavailableException;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.workload.Setup;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongConsumer;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Encodes the values of a block and puts them into its tables.
 *
 * @param sources opens the values of one
 * @param values where encoded values are kept that are nobody's own
 * @param ownValues where those of the user's own are kept
 * @param serverName in the manifest
 * @param book is told what has been made
 * @param visit on the server that the tables are made on
 * @param redis on the one that sets are loaded into; empty where there are none
 */
record Loading(
        Function<Block.Source, Values> sources,
        Path values,
        Path ownValues,
        String serverName,
        CostModel costs,
        Listener listener,
        Book book,
        ServerSession visit,
        Optional<RedisSession> redis) {

    /** What takes down what loading has come to. */
    interface Book {

        /** Values have been made, and their digest is known. */
        void note(Block.Source source, Values values);

        /** All values of a block have been made, or all of its tables. */
        void write();

        void note(Manifest.LoadedStore store);

        /** A table cannot be had, nor then what is measured on it. */
        void notHad(Block block, Levels store, Outcome why);

        /** The operating system contradicts what the server says of a table's files. */
        void doubt(Levels store, String event);

        /** Throws what ends the run where it is to end. */
        void stopIfInterrupted();
    }

    /**
     * What a block's trials work on.
     *
     * @param disk of its shared tables, those that could be had
     */
    record Loaded(
            Block block,
            Server server,
            ServerSession visit,
            Optional<RedisSession> redis,
            Map<Block.Encoding, EncodedValues> values,
            Map<Levels, DiskSpace> disk) {

        /** The trials that can be measured: all but those whose table could not be had. */
        List<ForkPlan.PlannedTrial> planned() {
            List<ForkPlan.PlannedTrial> planned = new ArrayList<>();
            for (Trial trial : block.trials()) {
                String file =
                        values.get(Block.Encoding.of(trial.levels())).path().toString();
                if (!Block.usesTable(trial)) {
                    planned.add(new ForkPlan.PlannedTrial(trial, file, Optional.empty()));
                } else if (Block.hasOwnTable(trial) || disk.containsKey(Block.store(trial))) {
                    Levels store = Block.store(trial);
                    String name = block.tableName(store);
                    ForkPlan.Place place = Block.isInRedis(store)
                            ? new ForkPlan.Place(
                                    redis.orElseThrow().server().endpoint(),
                                    "",
                                    redis.orElseThrow().key(name),
                                    DiskSpace.UNKNOWN)
                            : new ForkPlan.Place(
                                    server.endpoint(),
                                    // a table of InnoDB is of the one server that made it
                                    Layout.FACTOR.of(store).isClustered() ? server.others() : List.of(),
                                    visit.schema(),
                                    name,
                                    disk.getOrDefault(store, DiskSpace.UNKNOWN),
                                    List.of());
                    planned.add(new ForkPlan.PlannedTrial(trial, file, Optional.of(place)));
                }
            }
            return planned;
        }

        void drop() throws SQLException {
            for (Levels store : disk.keySet()) {
                String name = block.tableName(store);
                if (Block.isInRedis(store)) {
                    redis.orElseThrow().drop(name);
                    continue;
                }
                visit.drop(name);
                if (block.isReadCold(store)) {
                    visit.drop(Setup.warmUpTable(name));
                }
            }
        }
    }

    /** Loads what a block's trials use into a server. */
    Loaded load(Block block, Server server) throws IOException, SQLException, InterruptedException {
        Map<Block.Encoding, EncodedValues> encoded = encode(block);
        return new Loaded(block, server, visit, redis, encoded, fill(block, encoded));
    }

    private Map<Block.Encoding, EncodedValues> encode(Block block) throws IOException {
        Map<Block.Source, Values> raw = new HashMap<>();
        Map<Block.Encoding, EncodedValues> encoded = new HashMap<>();
        for (Block.Encoding encoding : block.encodings()) {
            Block.Source source = encoding.source();
            Path directory = source.directory(values, ownValues);
            double expected = costs.encoding(encoding, directory);
            listener.doing("encoding " + encoding);
            Values its = raw.computeIfAbsent(source, sources);
            EncodedValues done = EncodedValues.of(its, StoredCodec.FACTOR.parse(encoding.codec()), directory, bytes -> {
                book.stopIfInterrupted();
                listener.done(expected * bytes / Math.max(1, its.totalLength()));
            });
            if (encoding.isRaw()) {
                book.note(source, its);
                raw.put(source, done.asValues(its.digest()));
            }
            encoded.put(encoding, done);
        }
        book.write();
        return encoded;
    }

    private Map<Levels, DiskSpace> fill(Block block, Map<Block.Encoding, EncodedValues> encoded)
            throws IOException, SQLException, InterruptedException {
        Connection connection = visit.connection();
        Map<Levels, DiskSpace> tables = new LinkedHashMap<>();
        for (Levels store : block.shared()) {
            listener.doing("loading " + Block.Encoding.of(store) + " into a table, "
                    + Layout.FACTOR.of(store).id());
            String name = block.tableName(store);
            EncodedValues its = encoded.get(Block.Encoding.of(store));
            double expected = costs.loading(store);
            LongConsumer loaded = bytes -> {
                book.stopIfInterrupted();
                visit.pauseIfBusy(book::stopIfInterrupted);
                listener.done(expected * bytes / Math.max(1, its.storedBytes()));
            };
            visit.awaitCalm(book::stopIfInterrupted);
            if (Block.isInRedis(store)) {
                fillRedis(block, store, its, loaded).ifPresent(memory -> tables.put(store, DiskSpace.UNKNOWN));
                continue;
            }
            try {
                Table table = Block.holdsKeys(store)
                        ? new KeyTable(
                                connection,
                                visit.schema(),
                                name,
                                Layout.FACTOR.of(store),
                                its,
                                LoadOrder.FACTOR.of(store))
                        : Table.of(connection, visit.schema(), name, store, its);
                Map<String, String> verified = table.create(visit.comment(name));
                Optional<BlockCompression> before = table.compression();
                table.load(its, loaded);
                DiskSpace disk = visit.disk(table);
                Optional<BlockCompression> compression = table.compression().map(now -> now.since(before.get()));
                Optional<Path> dataDirectory = visit.dataDirectory();
                if (dataDirectory.isPresent() && disk.allocatedBytes().isPresent()) {
                    table.contradiction(disk.allocatedBytes().getAsLong(), dataDirectory.get())
                            .ifPresent(event -> book.doubt(store, event));
                }
                table.readBack(its);
                if (block.isReadCold(store)) {
                    String warmUp = Setup.warmUpTable(name);
                    Table other = Table.of(connection, visit.schema(), warmUp, store, its);
                    other.create(visit.comment(warmUp));
                    other.load(its, Setup.warmUpRows(its), bytes -> {});
                }
                book.note(new Manifest.LoadedStore(
                        serverName,
                        store,
                        name,
                        table.ddl(),
                        new TreeMap<>(verified),
                        its.count(),
                        its.applicationBytes(),
                        its.storedBytes(),
                        disk.allocatedBytes(),
                        disk.usedBytes(),
                        its.encodedBytesPerSecond(),
                        compression,
                        table.memoryBytes(),
                        table.inRow(its),
                        table.parts()));
                tables.put(store, disk);
            } catch (UnavailableException | DowngradeException | WrongValueException | SQLException e) {
                visit.requireServer("loading " + name, e);
                visit.drop(name);
                book.notHad(
                        block,
                        store,
                        e instanceof UnavailableException
                                ? new Outcome.Unavailable(e.getMessage())
                                : new Outcome.Failed(e.getMessage()));
            }
        }
        book.write();
        return tables;
    }

    /** Loads a set into Redis; empty where that failed. */
    private Optional<OptionalLong> fillRedis(Block block, Levels store, EncodedValues keys, LongConsumer loaded) {
        String name = block.tableName(store);
        Structure structure = Structure.FACTOR.of(store);
        try {
            OptionalLong memory = redis.orElseThrow().load(name, structure, LoadOrder.FACTOR.of(store), keys, loaded);
            book.note(new Manifest.LoadedStore(
                    StoreKind.REDIS.word(),
                    store,
                    RedisSet.SHOWN_PREFIX + name,
                    RedisSet.commands(RedisSet.SHOWN_PREFIX + name, structure),
                    new TreeMap<>(),
                    keys.count(),
                    keys.applicationBytes(),
                    keys.storedBytes(),
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalDouble.empty(),
                    Optional.empty(),
                    memory,
                    OptionalLong.empty(),
                    Optional.empty()));
            return Optional.of(memory);
        } catch (WrongValueException | JedisException e) {
            book.notHad(block, store, new Outcome.Failed(e.getMessage()));
            return Optional.empty();
        }
    }
}
