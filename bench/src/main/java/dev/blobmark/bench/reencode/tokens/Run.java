package dev.blobmark.bench.reencode.tokens;

import dev.blobmark.bench.reencode.random.Stage;
import dev.blobmark.bench.reencode.tokens.History.Found;
import dev.blobmark.bench.reencode.tokens.History.Violation;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.Reencoding;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.FrameException;
import dev.blobmark.value.ValueFormat;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Workers and readers of one table, while its values are changed and taken back again and again. */
final class Run {

    private static final EncodingPolicy ALL = new EncodingPolicy(0, 0, false);
    private static final int READ_AT_ONCE = 50;
    private static final int INSERTED_AT_ONCE = 500;
    private static final int PROBLEMS = 20;
    private static final int TRANSACTION_MILLIS = 20;
    private static final double KILLED_USERS = 0.3;
    private static final double INTERRUPTED = 0.2;
    private static final int MOST_PAUSE_MILLIS = 1_500;

    /** A copy needs some seconds without a kill, and a little time of the processors to catch up. */
    private static final int MOST_COPY_PAUSE_MILLIS = 8_000;

    private static final int COPY_REST_MILLIS = 10;

    private final Stage stage;
    private final boolean isCopy;
    private final int workers;
    private final int lists;
    private final long endNanos;
    private final long transactions;
    private final boolean isKilling;
    private final SplittableRandom random;
    private final String schema;
    private final History[] histories;
    private final AtomicLong committed = new AtomicLong();
    private final AtomicLong overtaken = new AtomicLong();
    private final AtomicLong unknown = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong changes = new AtomicLong();
    private final AtomicLong kills = new AtomicLong();
    private final Map<Violation, Integer> violations = new EnumMap<>(Violation.class);
    private final List<String> problems = new ArrayList<>();
    private final Map<String, Integer> stops = new TreeMap<>();
    private volatile Optional<Reencoding> running = Optional.empty();
    private volatile boolean isOver;
    private volatile boolean isChanging = true;

    /**
     * @param transactions after which it ends
     * @param isKilling whether connections of the change and of the workers are killed
     */
    Run(
            Stage stage,
            boolean isCopy,
            int workers,
            int lists,
            long transactions,
            long endNanos,
            boolean isKilling,
            long seed) {
        if (workers > TokenList.MOST_WORKERS || lists < workers) {
            throw new IllegalArgumentException(workers + " workers of " + lists + " lists: at most "
                    + TokenList.MOST_WORKERS + ", each with a list");
        }
        this.stage = stage;
        this.isCopy = isCopy;
        this.workers = workers;
        this.lists = lists;
        this.transactions = transactions;
        this.endNanos = endNanos;
        this.isKilling = isKilling;
        random = new SplittableRandom(seed);
        schema = isCopy ? "tokens_copy" : "tokens";
        histories = IntStream.range(0, lists).mapToObj(History::new).toArray(History[]::new);
    }

    /** What a run found. */
    record Summary(
            long transactions,
            long overtaken,
            long unknown,
            long reads,
            long changes,
            long kills,
            int lost,
            int doubled,
            int outOfOrder,
            List<String> problems,
            Map<String, Integer> stops,
            double seconds) {}

    Stage stage() {
        return stage;
    }

    String table() {
        return schema + ".lists";
    }

    int lists() {
        return lists;
    }

    int workers() {
        return workers;
    }

    boolean isOver() {
        return isOver || committed.get() >= transactions || System.nanoTime() > endNanos;
    }

    /** Time that a worker leaves to others after its statements. */
    int restMillis() {
        return isCopy ? COPY_REST_MILLIS : 0;
    }

    void committed(int number) {
        committed.addAndGet(number);
    }

    void overtaken() {
        overtaken.incrementAndGet();
    }

    void failed(int tokens) {
        unknown.addAndGet(tokens);
    }

    void acknowledged(TokenList list) {
        histories[list.id()].acknowledge(list).ifPresent(this::found);
    }

    private synchronized void found(Found found) {
        violations.merge(found.violation(), 1, Integer::sum);
        problem(found.violation() + ": " + found.text());
    }

    synchronized void problem(String text) {
        if (problems.size() < PROBLEMS) {
            problems.add(text);
            System.out.println(stage.seat.id() + " " + schema + ": " + text);
        }
    }

    /**
     * Reads lists and judges them.
     *
     * @param seen receives them
     * @return what is stored
     */
    Map<Integer, byte[]> read(
            Connection connection, ValueFormat format, List<Integer> ids, String suffix, Map<Integer, TokenList> seen)
            throws SQLException {
        Map<Integer, byte[]> stored = new HashMap<>();
        if (ids.isEmpty()) {
            return stored;
        }
        Map<Integer, Integer> least = new HashMap<>();
        ids.forEach(id -> least.put(id, histories[id].acknowledged()));
        try (PreparedStatement select = connection.prepareStatement("SELECT id, payload FROM " + table()
                        + " WHERE id IN (" + ids.stream().map(String::valueOf).collect(Collectors.joining(", ")) + ")"
                        + " ORDER BY id" + suffix);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                int id = row.getInt(1);
                byte[] bytes = row.getBytes(2);
                try {
                    TokenList list = TokenList.parse(format.decode(bytes));
                    histories[id].judge(list, least.get(id)).ifPresent(this::found);
                    seen.put(id, list);
                    stored.put(id, bytes);
                } catch (FrameException | IllegalArgumentException e) {
                    found(new Found(Violation.LOST, "list " + id + ": " + e.getMessage()));
                }
            }
        }
        reads.addAndGet(ids.size());
        for (int id : ids) {
            if (!stored.containsKey(id)) {
                found(new Found(Violation.LOST, "list " + id + " is missing"));
            }
        }
        return stored;
    }

    private static ValueFormat format(boolean isFramed) {
        ValueFormat format = ValueFormat.builder().writes("zstd:1").policy(ALL).build();
        if (isFramed) {
            format.startWriting();
        }
        return format;
    }

    private void load() throws SQLException {
        try (Connection connection = stage.connect()) {
            Sql.execute(connection, "CREATE DATABASE " + schema);
            Sql.execute(
                    connection,
                    "CREATE TABLE " + table() + " (id INT PRIMARY KEY, payload MEDIUMBLOB NOT NULL) ENGINE=InnoDB");
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table() + " VALUES (?, ?)")) {
                for (int id = 0; id < lists; id++) {
                    insert.setInt(1, id);
                    insert.setBytes(2, TokenList.empty(id, workers).bytes());
                    insert.addBatch();
                    if (id % INSERTED_AT_ONCE == 0) {
                        insert.executeBatch();
                    }
                }
                insert.executeBatch();
            }
            connection.commit();
        }
    }

    /** Works until its time or its transactions are over, and compares all lists at the end. */
    Summary run() throws SQLException, InterruptedException {
        long beginNanos = System.nanoTime();
        load();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            threads.add(new Worker(this, i, format(i % 2 == 0), random.nextLong()));
        }
        threads.add(thread("reader", this::readAlways));
        threads.add(thread("change", this::changeAlways));
        if (isKilling) {
            threads.add(thread("killer", this::killAlways));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        try (Connection connection = stage.connect()) {
            readAll(connection);
            Sql.execute(connection, "DROP DATABASE " + schema);
        }
        return new Summary(
                committed.get(),
                overtaken.get(),
                unknown.get(),
                reads.get(),
                changes.get(),
                kills.get(),
                violations.getOrDefault(Violation.LOST, 0),
                violations.getOrDefault(Violation.DOUBLED, 0),
                violations.getOrDefault(Violation.OUT_OF_ORDER, 0),
                List.copyOf(problems),
                new LinkedHashMap<>(stops),
                (System.nanoTime() - beginNanos) / 1e9);
    }

    private interface Work {
        void run() throws Exception;
    }

    private Thread thread(String name, Work work) {
        return new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (Exception e) {
                        problem("the bench failed: " + e);
                        isOver = true;
                    }
                },
                name);
    }

    private void readAll(Connection connection) throws SQLException {
        for (int id = 0; id < lists; id += READ_AT_ONCE) {
            List<Integer> ids = IntStream.range(id, Math.min(lists, id + READ_AT_ONCE))
                    .boxed()
                    .toList();
            read(connection, format(false), ids, "", new HashMap<>());
        }
    }

    /** Reads any lists, whoever has written them. */
    private void readAlways() throws SQLException, InterruptedException {
        SplittableRandom of = new SplittableRandom(0);
        while (!isOver()) {
            try (Connection connection = stage.connect()) {
                while (!isOver()) {
                    int from = of.nextInt(lists);
                    read(
                            connection,
                            format(false),
                            IntStream.range(from, Math.min(lists, from + READ_AT_ONCE))
                                    .boxed()
                                    .toList(),
                            "",
                            new HashMap<>());
                    TimeUnit.MILLISECONDS.sleep(2);
                }
            } catch (SQLException e) {
                TimeUnit.MILLISECONDS.sleep(1); // it was killed
            }
        }
    }

    private void killAlways() throws SQLException, InterruptedException {
        SplittableRandom of = new SplittableRandom(1);
        while (isChanging) {
            TimeUnit.MILLISECONDS.sleep(1 + of.nextInt(isCopy ? MOST_COPY_PAUSE_MILLIS : MOST_PAUSE_MILLIS));
            if (of.nextDouble() < INTERRUPTED) {
                running.ifPresent(Reencoding::interrupt);
            } else if (of.nextDouble() < KILLED_USERS ? stage.killUser(of.nextInt(1_000)) : stage.kill(of.nextInt(8))) {
                kills.incrementAndGet();
            }
        }
    }

    private Reencoding reencoding() {
        return stage.reencoding(
                TableColumn.named(table() + ".payload"), isCopy, 100, TRANSACTION_MILLIS, 1, new ReencodeListener() {
                    @Override
                    public void progressed(Progress progress) {}

                    @Override
                    public void noticeIssued(String notice) {}
                });
    }

    private interface Command {
        boolean isComplete(Reencoding reencoding) throws Exception;
    }

    /** Changes the values, takes some changes back, and forgets them. */
    private void changeAlways() throws InterruptedException {
        try {
            SplittableRandom of = new SplittableRandom(2);
            for (int i = 0; !isOver(); i++) {
                Target target = new Target(i % 2 == 0 ? "zstd:3" : "lz4", ALL);
                boolean isChanged = persist(
                        reencoding -> reencoding.change(Before.RAW, target).isComplete());
                if (!isChanged || of.nextBoolean()) {
                    persist(reencoding -> reencoding.revert().isComplete());
                }
                persist(reencoding -> {
                    reencoding.finish();
                    return true;
                });
                changes.addAndGet(isChanged ? 1 : 0);
            }
        } finally {
            isChanging = false;
        }
    }

    /** The same command again, as long as it was disturbed; whether it was complete. */
    private boolean persist(Command command) throws InterruptedException {
        for (int attempt = 0; attempt < 100 && !isOver(); attempt++) {
            Reencoding reencoding = reencoding();
            running = Optional.of(reencoding);
            long before = kills.get();
            try {
                if (command.isComplete(reencoding)) {
                    return true;
                }
            } catch (Exception e) { // of any kind: the lists are judged, not the command
                if (kills.get() == before) {
                    stopped(e);
                    return false;
                }
            } finally {
                running = Optional.empty();
            }
        }
        return false;
    }

    private synchronized void stopped(Exception e) {
        String reason = e.getClass().getSimpleName() + ": "
                + String.valueOf(e.getMessage())
                        .replaceAll("\\d+", "#")
                        .lines()
                        .findFirst()
                        .orElse("");
        stops.merge(reason, 1, Integer::sum);
    }
}
