package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.StoreSession;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.plan.Block;
import dev.blobmark.lab.plan.Encoding;
import dev.blobmark.lab.plan.StoreDesign;
import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Placement;
import dev.blobmark.lab.store.Store;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.workload.Batch;
import dev.blobmark.lab.workload.Insert;
import dev.blobmark.lab.workload.Keys;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.client.UnavailableException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/**
 * The tables of a block's writing trials. Each is created, verified and filled before every window of its trial,
 * checked after it, and dropped. So no trial sees another one's rows, and only one table needs space at a time.
 */
final class TrialTables {

    private static final String READ_ONCE = "read after the first window of each fork";

    private final String server;
    private final Block block;
    private final Map<Encoding, EncodedValues> values;
    private final Map<StoreKind, StoreSession> sessions;
    private final boolean readsDiskAlways;
    private final Map<Encoding, long[]> checksums = new HashMap<>();
    private final Set<StoreDesign> readBack = new HashSet<>();

    /** The fork in which the disk space of a table was last read. */
    private final Map<StoreDesign, Integer> diskReadIn = new HashMap<>();

    /**
     * @param server the MySQL server's name in the manifest
     * @param readsDiskAlways whether to read the disk space after each window, and not only after the first of a fork
     */
    TrialTables(
            String server,
            Block block,
            Map<Encoding, EncodedValues> values,
            Map<StoreKind, StoreSession> sessions,
            boolean readsDiskAlways) {
        this.server = server;
        this.block = block;
        this.values = values;
        this.sessions = sessions;
        this.readsDiskAlways = readsDiskAlways;
    }

    private Store table(StoreDesign store, String name) throws SQLException {
        return session(store).store(name, store.design(), values(store));
    }

    private StoreSession session(StoreDesign store) {
        return sessions.get(store.kind());
    }

    private EncodedValues values(StoreDesign store) {
        return values.get(store.encoding());
    }

    /**
     * Creates the table that a trial's window begins with.
     *
     * @param loaded gets the stored bytes loaded since its last call
     * @return its contents, for the manifest
     */
    LoadedStore prepare(Trial trial, LongConsumer loaded) throws SQLException {
        StoreDesign store = StoreDesign.of(trial);
        String name = block.tableName(store);
        drop(trial);
        Store table = table(store, name);
        SortedMap<String, String> verified = table.create();
        boolean isEmpty = store.design().get(Workload.FACTOR).start() == Workload.InitialTable.EMPTY;
        EncodedValues loadedValues = values(store);
        if (isEmpty) {
            String warmUp = Setup.warmUpTable(name);
            table(store, warmUp).create();
        } else {
            table.load(loadedValues, loaded);
            if (readBack.add(store)) {
                table.readBack(loadedValues);
            }
        }
        DiskSpace disk = session(store).disk(table);
        return new LoadedStore(
                store.kind() == StoreKinds.MYSQL ? server : store.kind().word(),
                store.levels(),
                table.shownName(),
                table.ddl(),
                verified,
                isEmpty ? LoadedStore.LoadedContent.empty(loadedValues) : LoadedStore.LoadedContent.of(loadedValues),
                disk,
                isEmpty ? Placement.UNKNOWN : table.placement(loadedValues).withoutCompression());
    }

    /**
     * Checks the table that a trial has written, and drops it.
     *
     * @param seed of the trial in this round
     * @return the sample, with the disk space of the table if it is read: the server must write everything first, which
     *     takes longer than the window
     * @throws WrongValueException if the table does not have the rows that were written
     */
    Sample finish(Trial trial, Sample sample, long seed) throws SQLException {
        try {
            if (sample.operations().isEmpty()) {
                return sample;
            }
            StoreDesign store = StoreDesign.of(trial);
            Operations inserted = sample.operations().get("insert");
            if (inserted != null) {
                verifyInserted(store, inserted.count() * store.design().get(Batch.FACTOR), seed);
            } else if (sample.flags().contains(Sample.DEGRADED)) {
                verifyUpdated(store);
            }
            if (!readsDiskAlways && diskReadIn.getOrDefault(store, -1) == sample.fork()) {
                return sample.withoutDisk(READ_ONCE);
            }
            DiskSpace disk = session(store).disk(table(store, block.tableName(store)));
            if (disk.allocatedBytes().isPresent()) {
                diskReadIn.put(store, sample.fork());
            }
            return sample.withDisk(disk);
        } finally {
            if (session(StoreDesign.of(trial)).isAlive()) {
                drop(trial);
            }
        }
    }

    /** The sample of a trial that reads a shared table, with the times of its pages if the server measures them. */
    Sample timed(Trial trial, Sample sample) throws SQLException {
        if (sample.operations().isEmpty() || !StoreDesign.isUsedBy(trial)) {
            return sample;
        }
        StoreDesign store = StoreDesign.of(trial);
        try {
            return session(store)
                    .pageTimes(table(store, block.tableName(store)))
                    .map(sample::with)
                    .orElse(sample);
        } catch (UnavailableException e) {
            return sample.withEvent("reading and inflating a page was not timed: " + e.getMessage());
        }
    }

    /** Reads back all rows of a trial's shared table, and compares them byte for byte. */
    void readBack(Trial trial) throws SQLException {
        StoreDesign store = StoreDesign.of(trial);
        table(store, block.tableName(store)).readBack(values(store));
    }

    private void drop(Trial trial) throws SQLException {
        StoreDesign store = StoreDesign.of(trial);
        String name = block.tableName(store);
        session(store).drop(name);
        session(store).drop(Setup.warmUpTable(name));
    }

    /** Each row must be the one of its key, and the number of rows must be the number inserted. */
    private void verifyInserted(StoreDesign store, long expected, long seed) throws SQLException {
        String name = block.tableName(store);
        long[] sums = checksums.computeIfAbsent(store.encoding(), e -> checksums(values(store)));
        Keys keys = store.design().get(Keys.FACTOR);
        long[] rows = {0};
        table(store, name).forEachRow((key, checksum) -> {
            if (checksum != sums[Insert.valueOf(keys.number(key, seed), sums.length)]) {
                throw new WrongValueException("key " + key + " of " + name + " has other bytes than those inserted");
            }
            rows[0]++;
        });
        if (rows[0] != expected) {
            throw new WrongValueException(name + " has " + rows[0] + " rows after " + expected + " were inserted");
        }
    }

    /** Each row must exist and have one of the values that were written. */
    private void verifyUpdated(StoreDesign store) throws SQLException {
        String name = block.tableName(store);
        Set<Long> sums = Arrays.stream(checksums.computeIfAbsent(store.encoding(), e -> checksums(values(store))))
                .boxed()
                .collect(Collectors.toSet());
        int[] rows = {0};
        table(store, name).forEachRow((key, checksum) -> {
            if (!sums.contains(checksum)) {
                throw new WrongValueException(
                        "key " + key + " of " + name + " has bytes that were never written to it");
            }
            rows[0]++;
        });
        if (rows[0] != values(store).count()) {
            throw new WrongValueException(
                    name + " has " + rows[0] + " rows, but " + values(store).count() + " were loaded");
        }
    }

    private static long[] checksums(EncodedValues values) {
        long[] sums = new long[values.count()];
        for (int i = 0; i < sums.length; i++) {
            CRC32 crc = new CRC32();
            crc.update(values.stored(i));
            sums[i] = crc.getValue();
        }
        return sums;
    }
}
