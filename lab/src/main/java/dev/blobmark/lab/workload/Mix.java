package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.store.Decode;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Fetches and updates rows of a loaded table, through one connection for each worker, in a given proportion. It holds
 * for the operations of all workers of a process together: with many of them, each has few operations in a window.
 *
 * @param percent percentage of operations that fetch, 0 to 100. In each group of successive operations, of the smallest
 *     size in which the proportion is exact, it is exact; the order within a group is random
 */
record Mix(int percent) implements Workload {

    static final String EXAMPLE = "mix:90";

    private static final Pattern FORM = Pattern.compile("mix:(\\d{1,3})");
    private static final int WHOLE = 100;

    /** Groups with orders of their own; then these are repeated. */
    private static final int GROUPS = 64;

    /** Standard deviations of a share that is drawn by chance; more are met once in 150,000 samples. */
    private static final double MOST_DEVIATIONS = 4.5;

    private static final String FETCHES = "fetch";
    private static final String UPDATES = "update";

    /** @throws IllegalArgumentException if the level is a mix with more than 100 % */
    static Optional<Workload> find(String level) {
        Matcher form = FORM.matcher(level);
        if (!form.matches()) {
            return Optional.empty();
        }
        int percent = Integer.parseInt(form.group(1));
        if (percent > WHOLE) {
            throw new IllegalArgumentException(
                    "workload '" + level + "' fetches more than 100 %; write mix:0 to mix:100");
        }
        return Optional.of(new Mix(percent));
    }

    @Override
    public String id() {
        return "mix:" + percent;
    }

    @Override
    public String description() {
        return percent + " % fetch, the rest update";
    }

    /** Only the types that occur. */
    @Override
    public List<String> operationTypes() {
        return percent == WHOLE ? List.of(FETCHES) : percent == 0 ? List.of(UPDATES) : List.of(FETCHES, UPDATES);
    }

    @Override
    public Set<Use> uses() {
        return Set.of(Use.STORE, Use.VALUES, Use.READ, Use.WRITE, Use.BATCH, Use.RATE);
    }

    @Override
    public InitialTable start() {
        return InitialTable.LOADED;
    }

    @Override
    public int sweep(Design design, int rows) {
        return design.get(Link.FACTOR).isEmulated() ? 0 : rows;
    }

    @Override
    public boolean timesTypesSeparately() {
        return false;
    }

    /** Which operations fetch, repeated without end. */
    boolean[] order(long seed) {
        int size = WHOLE / gcd(percent, WHOLE);
        int fetches = percent * size / WHOLE;
        SplittableRandom random = new SplittableRandom(seed);
        boolean[] order = new boolean[GROUPS * size];
        for (int begin = 0; begin < order.length; begin += size) {
            int left = fetches;
            for (int i = 0; i < size; i++) {
                order[begin + i] = random.nextInt(size - i) < left;
                left -= order[begin + i] ? 1 : 0;
            }
        }
        return order;
    }

    private static int gcd(int one, int other) {
        return other == 0 ? one : gcd(other, one % other);
    }

    @Override
    public Optional<String> contradiction(SortedMap<String, Long> counts) {
        long fetches = counts.getOrDefault(FETCHES, 0L);
        long all = fetches + counts.getOrDefault(UPDATES, 0L);
        double share = percent / (double) WHOLE;
        // a sample of few operations is off by one
        double most = 1 + MOST_DEVIATIONS * Math.sqrt(all * share * (1 - share));
        return Math.abs(fetches - all * share) <= most
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "%.1f %% of %,d operations fetched, instead of %d %%",
                        100.0 * fetches / all,
                        all,
                        percent));
    }

    @Override
    public Operation open(Setup setup) throws Exception {
        Traffic traffic = new Traffic(setup.link());
        Connection connection = setup.connector().connect(setup.endpoint(), traffic);
        try {
            return new MixOperation(connection, traffic, setup);
        } catch (Exception e) {
            connection.close();
            throw e;
        }
    }

    private final class MixOperation implements Operation {

        private final Fetch.Select fetch;
        private final Update.UpdateOperation update;
        private final boolean decodesAtServer;
        private final boolean[] order;
        private boolean fetches = percent == WHOLE;

        MixOperation(Connection connection, Traffic traffic, Setup setup) throws Exception {
            order = order(setup.seed());
            decodesAtServer = setup.design().get(Decode.FACTOR) == Decode.SERVER;
            update = new Update.UpdateOperation(connection, traffic, setup);
            fetch = new Fetch.Select(Lease.own(connection), traffic, setup);
        }

        @Override
        public void readThrough() throws SQLException {
            fetch.readThrough();
        }

        @Override
        public int nextType(long turn, long[] busyNanos) {
            fetches = order[(int) (turn % order.length)];
            return fetches ? 0 : 1;
        }

        @Override
        public void prepare(int type, int row) {
            if (!fetches) {
                update.prepare(type, row);
            }
        }

        @Override
        public long perform(int type, int row) throws SQLException {
            if (!fetches) {
                return update.perform(type, row);
            }
            long bytes = fetch.perform(type, row);
            update.completed();
            return bytes;
        }

        /** If the server decodes, the client does not know the stored length; that of the row's first value is used. */
        @Override
        public long storedBytes(EncodedValues values, int row) {
            return !fetches
                    ? update.storedBytes(values, row)
                    : decodesAtServer ? values.storedLength(row) : fetch.receivedLength();
        }

        @Override
        public void verify(int type, int row, boolean content) throws SQLException {
            if (!fetches) {
                update.verify(type, row, content);
            } else if (!fetch.isOneOf(update.knownValues(), content)) {
                throw new WrongValueException("key " + row + " has a value that was never written to it");
            }
        }

        @Override
        public Optional<Traffic> traffic() {
            return update.traffic();
        }

        @Override
        public Optional<String> transientCode(Exception error) {
            return update.transientCode(error);
        }

        @Override
        public void verifyEffective() throws SQLException {
            update.verifyEffective();
        }

        @Override
        public void beginWindow() throws SQLException {
            update.beginWindow();
        }

        @Override
        public void endWindow() throws SQLException {
            update.endWindow();
        }

        @Override
        public void close() {
            update.close();
        }
    }
}
