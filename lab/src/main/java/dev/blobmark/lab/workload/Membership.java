package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.store.Dialect;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor.Use;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Looks up whether a key is in a set, or which of several keys are. Keys are drawn evenly from the whole set, or each
 * is taken once ({@link Draw}). A key that is not in the set is one of its keys with the last eight bytes inverted.
 * Timed: binding the keys, the round trip, and reading the answer. Each answer is checked.
 */
final class Membership implements Workload {

    @Override
    public String id() {
        return "membership";
    }

    @Override
    public String description() {
        return "look up whether a key is in a set";
    }

    @Override
    public List<String> operationTypes() {
        return List.of("membership");
    }

    @Override
    public Set<Use> uses() {
        return Set.of(Use.STORE, Use.SET, Use.READ, Use.BATCH, Use.RATE);
    }

    @Override
    public boolean worksOnOneValue(Design design) {
        return false;
    }

    @Override
    public boolean returnsConnections() {
        return true;
    }

    @Override
    public boolean timesTypesSeparately() {
        return false;
    }

    /** {@link Operation#readThrough} reads the set instead. */
    @Override
    public int sweep(Design design, int rows) {
        return 0;
    }

    @Override
    public Operation open(Setup setup) throws SQLException {
        Optional<Dialect> dialect = setup.store().dialect(setup.schema(), setup.design());
        if (dialect.isEmpty()) {
            return new RedisMembership(setup);
        }
        Traffic traffic = new Traffic(setup.link());
        Lease lease = Lease.of(setup, traffic);
        try {
            return new SelectKeys(setup, dialect.get(), lease, traffic);
        } catch (SQLException e) {
            lease.close();
            throw e;
        }
    }

    @Override
    public AsyncOperation openAsync(Setup setup, int inFlight) {
        return setup.store().dialect(setup.schema(), setup.design()).isEmpty()
                ? new LettuceMembership(setup, inFlight)
                : new R2dbcMembership(setup, inFlight);
    }

    /** The keys that an operation looks up, and the expected answer. */
    static final class KeyQuestion {

        private static final int INVERTED_BYTES = 8;

        private final EncodedValues set;
        private final int hits;
        private final SplittableRandom random;
        private final byte[][] keys;
        private final boolean[] isMember;
        private final int distance;
        private final int[] rows;
        private final boolean countsRepeated;
        private final Optional<KeyOrder.Both> orders;
        private KeyOrder.Cursor cursor;
        private int members;

        KeyQuestion(Setup setup) {
            this(setup, 0);
        }

        private KeyQuestion(Setup setup, int slot) {
            set = setup.values();
            hits = setup.design().get(Hits.FACTOR);
            random = new SplittableRandom(setup.seed() + slot);
            int count = setup.design().get(Batch.FACTOR);
            if (count > set.count()) {
                throw new IllegalArgumentException(
                        "batch is " + count + ", but the set has only " + set.count() + " keys; lower batch");
            }
            keys = new byte[count][];
            distance = set.count() / count;
            isMember = new boolean[count];
            rows = new int[count];
            // Redis answers for each key of the question, SQL with a row for each key of the set
            countsRepeated =
                    setup.store().dialect(setup.schema(), setup.design()).isEmpty();
            orders = setup.keyOrders();
            if (orders.isEmpty() && setup.design().get(Draw.FACTOR) == Draw.ONCE) {
                throw new IllegalStateException("draw is once, but the setup is not for a process");
            }
            orders.map(KeyOrder.Both::warmUp).ifPresent(order -> {
                cursor = order.new Cursor();
                if (count > order.rowsOfProcess()) {
                    throw new IllegalArgumentException(
                            "batch is " + count + " and draw is once, but a process has only "
                                    + order.rowsOfProcess() + " of the set's " + set.count()
                                    + " keys; lower batch or processes, or set draw to uniform");
                }
            });
        }

        /** One question per slot, each with its own random sequence. */
        static KeyQuestion[] forSlots(Setup setup, int inFlight) {
            KeyQuestion[] questions = new KeyQuestion[inFlight];
            for (int slot = 0; slot < inFlight; slot++) {
                questions[slot] = new KeyQuestion(setup, slot);
            }
            return questions;
        }

        /** From here on, each key is taken once again, in another order. */
        void beginWindow() {
            orders.ifPresent(both -> cursor = both.window().new Cursor());
        }

        /**
         * Draws the key of a row, and others at equal distances from it, so that none occurs twice. If each key is
         * taken once, those that are in the set are replaced by the next ones. A question with the last keys of one
         * pass and the first keys of the next pass may have a key twice.
         */
        void draw(int row) {
            members = 0;
            for (int i = 0; i < keys.length; i++) {
                rows[i] = i == 0 ? row : (int) ((row + (long) i * distance) % set.count());
                isMember[i] = hits == 100 || hits > 0 && random.nextInt(100) < hits;
                members += isMember[i] ? 1 : 0;
            }
            if (cursor != null && cursor.take(rows, isMember, members) && !countsRepeated) {
                members = (int) IntStream.range(0, rows.length)
                        .filter(i -> isMember[i])
                        .map(i -> rows[i])
                        .distinct()
                        .count();
            }
            for (int i = 0; i < keys.length; i++) {
                int index = rows[i];
                byte[] key = keys[i];
                if (key == null || key.length != set.storedLength(index)) {
                    key = new byte[set.storedLength(index)];
                    keys[i] = key;
                }
                set.copyStored(index, key);
                if (!isMember[i]) {
                    for (int at = Math.max(0, key.length - INVERTED_BYTES); at < key.length; at++) {
                        key[at] = (byte) ~key[at];
                    }
                }
            }
        }

        byte[][] keys() {
            return keys;
        }

        /** How many keys an answer has to find. */
        int members() {
            return members;
        }

        int bytes() {
            int bytes = 0;
            for (byte[] key : keys) {
                bytes += key.length;
            }
            return bytes;
        }

        /** Checks the number of keys that were found. */
        void verify(int found) {
            if (found != members) {
                throw new WrongValueException(
                        keys.length == 1
                                ? "key " + HexFormat.of().formatHex(keys[0])
                                        + (members == 1 ? " is missing" : " was found, though it was never stored")
                                : "of " + keys.length + " keys, " + found + " were found instead of " + members);
            }
        }

        /** Checks that a key which was found is one of those looked up and in the set. */
        void verifyMember(byte[] key) {
            for (int i = 0; i < keys.length; i++) {
                if (isMember[i] && Arrays.equals(keys[i], key)) {
                    return;
                }
            }
            throw new WrongValueException("key " + HexFormat.of().formatHex(key)
                    + " was found, though it was not looked up, or never stored");
        }

        /** Checks an answer that states for each key whether it was found. */
        void verifyEach(boolean[] found) {
            for (int i = 0; i < keys.length; i++) {
                if (found[i] != isMember[i]) {
                    throw new WrongValueException("key " + HexFormat.of().formatHex(keys[i])
                            + (isMember[i] ? " is missing" : " was found, though it was never stored"));
                }
            }
        }
    }

    private static final class SelectKeys implements Operation {

        private final Setup setup;
        private final Dialect dialect;
        private final Lease lease;
        private final Traffic traffic;
        private final KeyQuestion question;
        private final String sql;
        private final byte[][] answer;
        private int found;

        SelectKeys(Setup setup, Dialect dialect, Lease lease, Traffic traffic) throws SQLException {
            this.setup = setup;
            this.dialect = dialect;
            this.lease = lease;
            this.traffic = traffic;
            question = new KeyQuestion(setup);
            answer = new byte[question.keys().length][];
            sql = dialect.contains(setup.windowTable(), answer.length);
            lease.prepare(sql); // fails early if the server refuses the statement
            lease.end();
        }

        /** Counting reads the leaves of the only index, which hold the whole set. */
        @Override
        public void readThrough() throws SQLException {
            try (ResultSet row =
                    lease.prepare(dialect.count(setup.windowTable())).executeQuery()) {
                row.next();
            } finally {
                lease.end();
            }
        }

        @Override
        public void beginWindow() {
            question.beginWindow();
        }

        @Override
        public void prepare(int type, int row) {
            question.draw(row);
        }

        @Override
        public long perform(int type, int row) throws SQLException {
            byte[][] keys = question.keys();
            try {
                PreparedStatement select = lease.prepare(sql);
                for (int i = 0; i < keys.length; i++) {
                    select.setBytes(i + 1, keys[i]);
                }
                try (ResultSet result = select.executeQuery()) {
                    found = 0;
                    while (result.next()) {
                        if (keys.length > 1) {
                            answer[found] = result.getBytes(1);
                        }
                        found++;
                    }
                }
            } finally {
                lease.end();
            }
            return question.bytes();
        }

        @Override
        public void verify(int type, int row, boolean content) {
            question.verify(found);
            if (content && answer.length > 1) {
                for (int i = 0; i < found; i++) {
                    question.verifyMember(answer[i]);
                }
            }
        }

        @Override
        public Optional<String> transientCode(Exception error) {
            return dialect.transientCode(error);
        }

        @Override
        public Optional<Traffic> traffic() {
            return Optional.of(traffic);
        }

        @Override
        public void close() {
            lease.close();
        }
    }
}
