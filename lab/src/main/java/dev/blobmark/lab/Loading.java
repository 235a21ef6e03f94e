package dev.blobmark.lab;

import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.engine.ForkPlan;
import dev.blobmark.lab.guest.Visit;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.server.EmbeddedServer;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.store.BlockCompression;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.DowngradeException;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.store.Table;
import dev.blobmark.lab.store.UnavailableException;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Trial;
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
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Encodes the values of a block and puts them into its tables.
 *
 * @param sources opens the values of one
 * @param values where encoded values are kept that are nobody's own
 * @param serverName in the manifest
 * @param book is told what has been made
 * @param visit on the server that the tables are made on
 */
record Loading(
        Function<Block.Source, Values> sources,
        Path values,
        String serverName,
        Costs costs,
        Listener listener,
        Book book,
        Visit visit) {

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

    /** What a block's trials work on. */
    record Loaded(
            Block block,
            Server server,
            String schema,
            Map<Block.Encoding, EncodedValues> values,
            Map<Levels, Filled> tables) {

        private record Filled(Table table, OptionalLong diskBytes) {}

        /** The trials that can be measured: all but those whose table could not be had. */
        List<ForkPlan.PlannedTrial> planned() {
            List<ForkPlan.PlannedTrial> planned = new ArrayList<>();
            for (Trial trial : block.trials()) {
                String file =
                        values.get(Block.Encoding.of(trial.levels())).path().toString();
                if (!Block.usesTable(trial)) {
                    planned.add(new ForkPlan.PlannedTrial(trial, file, Optional.empty()));
                } else if (Block.hasOwnTable(trial) || tables.containsKey(Block.store(trial))) {
                    Filled filled = tables.get(Block.store(trial));
                    OptionalLong pid =
                            server instanceof EmbeddedServer own ? OptionalLong.of(own.pid()) : OptionalLong.empty();
                    ForkPlan.Place place = new ForkPlan.Place(
                            server.endpoint(),
                            schema,
                            block.tableName(Block.store(trial)),
                            filled == null ? OptionalLong.empty() : filled.diskBytes,
                            pid);
                    planned.add(new ForkPlan.PlannedTrial(trial, file, Optional.of(place)));
                }
            }
            return planned;
        }

        void drop() throws SQLException {
            for (Filled filled : tables.values()) {
                filled.table.drop();
            }
        }
    }

    /** Loads what a block's trials use into a server; values of the user's own go with it. */
    Loaded load(Block block, Server server, Connection connection)
            throws IOException, SQLException, InterruptedException {
        Map<Block.Encoding, EncodedValues> encoded = encode(block, server.scratch());
        // only what runs here, and is ours, has files that are ours to look at
        Optional<Path> dataDirectory = server.isOwn()
                ? Optional.of(
                        Path.of(ServerIdentity.read(connection).variables().get("datadir")))
                : Optional.empty();
        return new Loaded(block, server, visit.schema(), encoded, fill(block, encoded, connection, dataDirectory));
    }

    private Map<Block.Encoding, EncodedValues> encode(Block block, Path scratch) throws IOException {
        Map<Block.Source, Values> raw = new HashMap<>();
        Map<Block.Encoding, EncodedValues> encoded = new HashMap<>();
        for (Block.Encoding encoding : block.encodings()) {
            Block.Source source = encoding.source();
            // no copy of a user's own values outlives the run
            Path directory = source.kind().isPrivate() ? scratch : values;
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

    private Map<Levels, Loaded.Filled> fill(
            Block block,
            Map<Block.Encoding, EncodedValues> encoded,
            Connection connection,
            Optional<Path> dataDirectory)
            throws IOException, SQLException, InterruptedException {
        Map<Levels, Loaded.Filled> tables = new LinkedHashMap<>();
        for (Levels store : block.shared()) {
            listener.doing("loading " + Block.Encoding.of(store) + " into a table, "
                    + Layout.FACTOR.of(store).id());
            String name = block.tableName(store);
            EncodedValues its = encoded.get(Block.Encoding.of(store));
            double expected = costs.loading(store);
            visit.awaitCalm(book::stopIfInterrupted);
            try {
                visit.announce(name);
                Column column = Column.FACTOR.of(store).fitted(its);
                Table table = new Table(connection, visit.schema(), name, Layout.FACTOR.of(store), column);
                Map<String, String> verified = table.create();
                Optional<BlockCompression> before = table.compression();
                table.load(its, bytes -> {
                    book.stopIfInterrupted();
                    visit.pauseIfBusy(book::stopIfInterrupted);
                    listener.done(expected * bytes / Math.max(1, its.storedBytes()));
                });
                OptionalLong diskBytes =
                        visit.measuresDisk() ? OptionalLong.of(table.flushedDiskBytes()) : OptionalLong.empty();
                Optional<BlockCompression> compression = table.compression().map(now -> now.since(before.get()));
                if (dataDirectory.isPresent() && diskBytes.isPresent()) {
                    table.contradiction(diskBytes.getAsLong(), dataDirectory.get())
                            .ifPresent(event -> book.doubt(store, event));
                }
                table.readBack(its);
                book.note(new Manifest.LoadedStore(
                        serverName,
                        store,
                        name,
                        table.ddl(),
                        new TreeMap<>(verified),
                        its.count(),
                        its.applicationBytes(),
                        its.storedBytes(),
                        diskBytes,
                        compression));
                tables.put(store, new Loaded.Filled(table, diskBytes));
            } catch (UnavailableException | DowngradeException | WrongValueException | SQLException e) {
                if (!visit.isAlive()) {
                    throw visit.lost("loading " + name, e.getMessage());
                }
                Table.drop(connection, visit.schema(), name);
                if (e instanceof SQLException failure && Visit.full(failure).isPresent()) {
                    throw Visit.full(failure).get();
                }
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
}
