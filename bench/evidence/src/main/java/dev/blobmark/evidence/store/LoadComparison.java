package dev.blobmark.evidence.store;

import dev.blobmark.bench.Ratio;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import dev.blobmark.mysql.server.directory.Scratch;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Compares the lab's loading of a table with {@code LOAD DATA INFILE} of the same values, alternately: into an empty
 * table on the same server, with its durability, in transactions of the same rows. The server reads files in the form
 * in which it would write them: binary, with four of the 256 bytes escaped. Creating tables and files is not timed, nor
 * is flushing pages afterwards, which ends before the next load begins. Each pair is printed when it ends. The first
 * pair is a warm-up: it does not count, and is read back.
 *
 * <p>With the defaults, it loads 22 GB, which took 10 minutes on two busy cores, and needs 4 GB of disk.
 *
 * <p>Arguments, all optional: the server as for {@code blobmark run --server} (embedded), pairs (10), MB of values
 * (1000), bytes per value (65536).
 */
public final class LoadComparison {

    private final Connection connection;
    private final EncodedValues values;
    private final List<Path> files = new ArrayList<>();

    private LoadComparison(Connection connection, EncodedValues values) {
        this.connection = connection;
        this.values = values;
    }

    public static void main(String[] args) throws Exception {
        Servers.Source source = Servers.parse(args.length > 0 ? args[0] : "embedded");
        int pairs = args.length > 1 ? Integer.parseInt(args[1]) : 10;
        long bytes = (args.length > 2 ? Integer.parseInt(args[2]) : 1000) * 1_000_000L;
        int size = args.length > 3 ? Integer.parseInt(args[3]) : 64 << 10;
        Path cache = Path.of(System.getProperty("user.home"), ".cache", "blobmark");
        try (Scratch scratch = Scratch.make(cache);
                Server server = source.open(cache, ServerOptions.of(256L << 20).withTls(false));
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                Statement statement = connection.createStatement()) {
            ServerIdentity identity = ServerIdentity.read(connection);
            EncodedValues values = EncodedValues.of(
                    new Incompressible((int) (bytes / size), size), Codecs.parse("none"), scratch.path(), n -> {});
            statement.execute("CREATE DATABASE blobmark_bench");
            try {
                new LoadComparison(connection, values)
                        .run(identity, Path.of(identity.variables().get("secure_file_priv")), pairs);
            } finally {
                statement.execute("DROP DATABASE blobmark_bench");
            }
        }
    }

    private record Incompressible(int count, int size) implements Values {
        @Override
        public int length(int index) {
            return size;
        }

        @Override
        public byte[] get(int index) {
            byte[] value = new byte[size];
            new SplittableRandom(index).nextBytes(value);
            return value;
        }

        @Override
        public String digest() {
            return String.format(Locale.ROOT, "%032x%032x", count, size);
        }
    }

    private MySqlTable table() {
        return new MySqlTable(connection, "blobmark_bench", "t", Layout.FACTOR.parse("dynamic"), Column.MEDIUMBLOB);
    }

    private void run(ServerIdentity identity, Path readable, int pairs) throws Exception {
        try {
            writeFiles(readable);
            double megabytes = values.storedBytes() / 1e6;
            System.out.printf(
                    Locale.ROOT,
                    "%s, %d values of %d bytes in %d transactions, innodb_flush_log_at_trx_commit=%s, sync_binlog=%s,"
                            + " log_bin=%s, %d pairs%n",
                    identity,
                    values.count(),
                    values.maxLength(),
                    files.size(),
                    identity.variables().get("innodb_flush_log_at_trx_commit"),
                    identity.variables().get("sync_binlog"),
                    identity.variables().get("log_bin"),
                    pairs);
            double[] logRatios = new double[pairs];
            double labSeconds = 0;
            double fileSeconds = 0;
            for (int pair = -1; pair < pairs; pair++) { // the first is a warm-up
                double lab = 0;
                if (pair % 2 == 0) {
                    lab = seconds(this::loadByLab, pair < 0);
                }
                double file = seconds(this::loadFiles, pair < 0);
                if (pair % 2 != 0) {
                    lab = seconds(this::loadByLab, pair < 0);
                }
                System.out.printf(
                        Locale.ROOT,
                        "%-7s the lab %.0f MB/s, LOAD DATA %.0f MB/s: %.2f times as fast%n",
                        pair < 0 ? "warm-up" : "pair " + (pair + 1),
                        megabytes / lab,
                        megabytes / file,
                        file / lab);
                if (pair >= 0) {
                    logRatios[pair] = Math.log(file / lab);
                    labSeconds += lab;
                    fileSeconds += file;
                }
            }
            System.out.printf(
                    Locale.ROOT,
                    "the lab %.0f MB/s, LOAD DATA %.0f MB/s; the lab / LOAD DATA: %s%n",
                    megabytes * pairs / labSeconds,
                    megabytes * pairs / fileSeconds,
                    Ratio.of(logRatios));
        } finally {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }

    private interface Loading {
        void load(MySqlTable table) throws SQLException;
    }

    private double seconds(Loading loading, boolean readBack) throws SQLException {
        MySqlTable table = table();
        table.create();
        long start = System.nanoTime();
        loading.load(table);
        double seconds = (System.nanoTime() - start) / 1e9;
        table.disk(Optional.empty());
        if (readBack) {
            table.readBack(values);
        }
        table.drop();
        return seconds;
    }

    private void loadByLab(MySqlTable table) throws SQLException {
        table.load(values, bytes -> {});
    }

    private void loadFiles(MySqlTable table) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (Path file : files) {
                statement.execute("LOAD DATA INFILE '" + file + "' INTO TABLE blobmark_bench.t CHARACTER SET binary");
            }
        }
    }

    /** Loads once, and writes a file for each transaction that the lab commits. */
    private void writeFiles(Path readable) throws IOException, SQLException {
        List<Long> transactions = new ArrayList<>();
        MySqlTable table = table();
        table.create();
        table.load(values, transactions::add);
        table.drop();
        int row = 0;
        for (long bytes : transactions) {
            Path file = Files.createTempFile(readable, "blobmark-bench-", ".tsv");
            files.add(file);
            file.toFile().setReadable(true, false);
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
                for (long left = bytes; left > 0; row++) {
                    out.write((row + "\t").getBytes(StandardCharsets.US_ASCII));
                    escape(values.stored(row), out);
                    out.write('\n');
                    left -= values.storedLength(row);
                }
            }
        }
    }

    private static void escape(byte[] value, OutputStream out) throws IOException {
        for (byte b : value) {
            if (b == '\\' || b == '\t' || b == '\n') {
                out.write('\\');
                out.write(b);
            } else if (b == 0) {
                out.write('\\');
                out.write('0');
            } else {
                out.write(b);
            }
        }
    }
}
