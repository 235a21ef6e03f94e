package dev.blobmark.bench.reencode.witness;

import dev.blobmark.bench.reencode.Replica;
import dev.blobmark.bench.reencode.random.Stage;
import dev.blobmark.bench.reencode.witness.Plan.Kill;
import dev.blobmark.bench.reencode.witness.Plan.Moment;
import dev.blobmark.bench.reencode.witness.Plan.Unlogged;
import dev.blobmark.bench.reencode.witness.Writer.Kind;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.Reencoding;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.terms.Outcome;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.value.EncodingPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** Copies a table of one plan, while an application and sessions without a log write it, and judges the result. */
final class Trial {

    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final int USERS = 2;
    private static final int ATTEMPTS = 12;
    private static final int INSERTED_AT_ONCE = 500;
    private static final int TRANSACTION_MILLIS = 5;
    private static final int MOST_REST_MILLIS = 5;

    /** After this, the application writes less: on a busy machine, the copy would never catch up. */
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final int LONG_REST_MILLIS = 50;

    /** A busy machine takes two minutes for what takes 4 seconds otherwise. */
    private static final long CHANGE_SECONDS = 600;

    private static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Share of the application's writes to rows that others have changed without a log. */
    private static final double OF_THESE = 0.02;

    /** The same after the exchange, in a plan in which all of these rows are written then. */
    private static final double OF_THESE_LATER = 0.3;

    private static final double NEW = 0.1;
    private static final double DELETED = 0.15;
    private static final double BACK = 0.1;
    private static final double BACK_OF_THESE = 0.5;

    /** Reasons of a copy that has found a change before the exchange. */
    private static final List<String> FOUND_BEFORE =
            List.of("the two tables have different", "the new table has rows that the former one does not have");

    /** By the notices of a change. */
    private static final Map<String, Moment> MOMENTS = Map.of(
            "comparing", Moment.COMPARING,
            "exchanging", Moment.EXCHANGING,
            "comparing what was exchanged", Moment.LATER);

    private final Stage stage;
    private final Connection onReplica;
    private final Replica replica;
    private final Plan plan;
    private final long beginNanos = System.nanoTime();
    private final String schema = "w" + NUMBER.incrementAndGet();
    private final Map<Integer, History> histories = new ConcurrentHashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Set<Moment> begun = ConcurrentHashMap.newKeySet();
    private final AtomicInteger unlogged = new AtomicInteger();
    private final AtomicInteger logged = new AtomicInteger();
    private final AtomicInteger kills = new AtomicInteger();
    private final AtomicInteger killsBegun = new AtomicInteger();
    private final AtomicInteger killsEnded = new AtomicInteger();
    private int stops;
    private volatile boolean isExchanged;
    private volatile boolean isOver;

    private Trial(Stage stage, Connection onReplica, Replica replica, Plan plan) {
        this.stage = stage;
        this.onReplica = onReplica;
        this.replica = replica;
        this.plan = plan;
    }

    /**
     * @param logged writes of the application
     * @param unlogged changes that no log has
     * @param stops how often the copy ended before the exchange, since it noticed one of them
     * @param wrong what was wrong besides that, such as reads
     */
    record Result(
            int logged,
            int unlogged,
            int stops,
            int kills,
            Optional<Verdict> verdict,
            Judgement judgement,
            List<String> wrong,
            double seconds) {

        boolean isRight() {
            return wrong.isEmpty() && judgement.violations().isEmpty();
        }
    }

    /**
     * @param onReplica a connection to the replica
     * @throws IllegalStateException if the replica stops
     */
    static Result run(Stage stage, Connection onReplica, Replica replica, Plan plan)
            throws SQLException, InterruptedException {
        return new Trial(stage, onReplica, replica, plan).run();
    }

    private Result run() throws SQLException, InterruptedException {
        try (Connection connection = stage.connect()) {
            load(connection);
            if (!plan.mayLeaveLog()) {
                stage.allowToLeaveLog(false);
            }
            stage.execute("SET GLOBAL binlog_row_image = " + plan.rowImage());
            try {
                Optional<Verdict> verdict = copy();
                Judgement judgement =
                        verdict.isPresent() ? judge(connection, verdict.get()) : new Judgement(Map.of(), Map.of());
                return new Result(
                        logged.get(),
                        unlogged.get(),
                        stops,
                        kills.get(),
                        verdict,
                        judgement,
                        List.copyOf(wrong),
                        (System.nanoTime() - beginNanos) / 1e9);
            } finally {
                stage.reset();
                if (!plan.mayLeaveLog()) {
                    stage.allowToLeaveLog(true);
                }
                Sql.execute(connection, "DROP DATABASE " + schema);
            }
        }
    }

    private String table() {
        return schema + ".t";
    }

    private synchronized void wrong(String text) {
        wrong.add(text);
    }

    private History history(int key) {
        return histories.computeIfAbsent(key, of -> new History(Optional.empty()));
    }

    private void load(Connection connection) throws SQLException {
        SplittableRandom random = new SplittableRandom(plan.seed());
        Sql.execute(connection, "CREATE DATABASE " + schema);
        Sql.execute(
                connection,
                "CREATE TABLE " + table() + " (id INT PRIMARY KEY, note VARCHAR(40) NOT NULL, payload " + plan.type()
                        + ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4");
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table() + " VALUES (?, ?, ?)")) {
            for (int i = 0; i < plan.rows(); i++) {
                int key = 2 * i;
                Content content = Writer.initial(key, random);
                histories.put(key, new History(Optional.of(content)));
                insert.setInt(1, key);
                insert.setString(2, content.note());
                insert.setString(3, content.payload().orElse(null));
                insert.addBatch();
                if (i % INSERTED_AT_ONCE == 0) {
                    insert.executeBatch();
                }
            }
            insert.executeBatch();
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    private interface Work {
        void run() throws Exception;
    }

    private synchronized void start(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (Exception e) {
                        wrong("the bench failed: " + name + ": " + e);
                    }
                },
                name);
        threads.add(thread);
        thread.start();
    }

    private Writer writer(String name, boolean isLogged) throws SQLException {
        SplittableRandom random = new SplittableRandom(plan.seed() * 31 + name.hashCode());
        return new Writer(stage.connect(), table(), name, isLogged, random, this::wrong);
    }

    /** Makes the changes of a moment that no log has. */
    private void leaveOut(Moment moment) throws SQLException, InterruptedException {
        if (plan.at(moment).isEmpty()) {
            return;
        }
        try (Writer writer = writer(moment.name(), false)) {
            for (Unlogged each : plan.at(moment)) {
                TimeUnit.MILLISECONDS.sleep(each.pauseMillis());
                leaveOut(writer, each, () -> {});
            }
        }
    }

    private void leaveOut(Writer writer, Unlogged each, Writer.Last last) throws SQLException, InterruptedException {
        History history = history(each.key());
        if (writer.write(each.key(), history, each.kind(), last)) {
            unlogged.incrementAndGet();
        }
    }

    /** A transaction that holds the table when the last lock is waited for. */
    private void hold(CountDownLatch held) throws SQLException, InterruptedException {
        try (Writer writer = writer(Moment.WAITING.name(), false)) {
            for (Unlogged each : plan.at(Moment.WAITING)) {
                leaveOut(writer, each, () -> {
                    held.countDown();
                    long begin = System.nanoTime();
                    while (!stage.isWaitingForTable() && System.nanoTime() - begin < HOLD_NANOS) {
                        TimeUnit.MILLISECONDS.sleep(1);
                    }
                });
            }
        } finally {
            held.countDown();
        }
    }

    /** Writes rows of all kinds until the trial is over. */
    private void use(String name) throws SQLException, InterruptedException {
        SplittableRandom random = new SplittableRandom(plan.seed() * 17 + name.hashCode());
        try (Writer writer = writer(name, true)) {
            while (!isOver) {
                double ofThese = writer.isLater() ? plan.laterShare() * OF_THESE_LATER : OF_THESE;
                boolean isOfThese = !plan.unlogged().isEmpty() && random.nextDouble() < ofThese;
                int key = isOfThese
                        ? plan.unlogged()
                                .get(random.nextInt(plan.unlogged().size()))
                                .key()
                        : 2 * random.nextInt(plan.rows()) + (random.nextDouble() < NEW ? 1 : 0);
                use(writer, key, random);
                boolean isLong = System.nanoTime() - beginNanos > LONG_NANOS;
                TimeUnit.MILLISECONDS.sleep(isLong ? LONG_REST_MILLIS : 1 + random.nextInt(MOST_REST_MILLIS));
            }
        }
    }

    /**
     * Writes a row as an application may: if the replica may have it and the source not, or the other way round, only
     * what has no effect, or is done in a table in which both are alike.
     */
    private void use(Writer writer, int key, SplittableRandom random) throws SQLException, InterruptedException {
        History history = history(key);
        if (!history.lock.tryLock()) {
            return;
        }
        try {
            if (history.isClosed()) {
                return;
            }
            boolean isThere =
                    (history.hasLater() ? history.current() : history.former()).isPresent() != history.isUneven();
            Kind kind = Kind.INSERT;
            if (isThere) {
                double any = random.nextDouble();
                // bytes that are there again look as if nobody had written the row
                double back = history.hasUnlogged() ? BACK_OF_THESE : BACK;
                kind = any < back ? Kind.THERE_AND_BACK : any < back + DELETED ? Kind.DELETE : Kind.UPDATE;
            }
            if (writer.write(key, history, kind)) {
                logged.incrementAndGet();
            }
        } finally {
            history.lock.unlock();
        }
    }

    /** The application writes rows that others have changed without a log, right after the exchange. */
    private void useThese() throws SQLException, InterruptedException {
        SplittableRandom random = new SplittableRandom(plan.seed() * 13);
        try (Writer writer = writer("later", true)) {
            for (Unlogged each : plan.unlogged()) {
                if (each.moment() != Moment.LATER && random.nextDouble() < plan.laterShare()) {
                    use(writer, each.key(), random);
                }
            }
        }
    }

    /** What happens at a moment, once in a trial. */
    private void begin(Moment moment) throws SQLException, InterruptedException {
        if (!begun.add(moment)) {
            return;
        }
        for (Kill kill : plan.kills()) {
            if (kill.moment() == moment) {
                start("kill", () -> {
                    TimeUnit.MILLISECONDS.sleep(kill.pauseMillis());
                    killsBegun.incrementAndGet();
                    try {
                        kills.addAndGet(!isOver && stage.kill(kill.number()) ? 1 : 0);
                    } finally {
                        killsEnded.incrementAndGet();
                    }
                });
            }
        }
        if (moment == Moment.LATER) {
            isExchanged = true;
            useThese();
        }
        if (moment == Moment.EXCHANGING) {
            CountDownLatch held = new CountDownLatch(1);
            start("hold", () -> hold(held));
            start("racing", () -> leaveOut(Moment.RACING));
            leaveOut(Moment.EXCHANGING);
            held.await();
        } else if (moment.isAwaited) {
            leaveOut(moment);
        } else {
            start(moment.name(), () -> leaveOut(moment));
        }
    }

    private Reencoding reencoding() {
        return stage.reencoding(
                TableColumn.named(table() + ".payload"),
                true,
                plan.speed(),
                TRANSACTION_MILLIS,
                1,
                new ReencodeListener() {
                    @Override
                    public void progressed(Progress progress) {}

                    @Override
                    public void noticeIssued(String notice) {
                        Optional.ofNullable(MOMENTS.get(notice)).ifPresent(moment -> {
                            try {
                                begin(moment);
                            } catch (SQLException | InterruptedException e) {
                                wrong("the bench failed: " + moment + ": " + e);
                            }
                        });
                    }
                });
    }

    /** Copies the table, while others write; what the comparison has found, unless the command has failed. */
    private Optional<Verdict> copy() throws SQLException, InterruptedException {
        for (int i = 0; i < USERS; i++) {
            String name = "u" + i;
            start(name, () -> use(name));
        }
        begin(Moment.START);
        FutureTask<Optional<Verdict>> changing = new FutureTask<>(this::change);
        Thread thread = new Thread(changing, "change");
        thread.start();
        begin(Moment.COPYING);
        try {
            return changing.get(CHANGE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            wrong("it hangs: " + List.of(thread.getStackTrace()));
            throw new IllegalStateException(wrong.toString(), e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } finally {
            isOver = true;
            for (Thread each : List.copyOf(threads)) {
                each.join();
            }
        }
    }

    /** The same command again, as long as it was disturbed. */
    private Optional<Verdict> change() throws Exception {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            int before = killsEnded.get();
            try {
                Outcome outcome =
                        reencoding().change(Before.RAW, new Target("zstd:3", new EncodingPolicy(0, 0, false)));
                if (outcome.isComplete()) {
                    if (!isExchanged) {
                        wrong("the bench failed: no notice of the exchange was seen");
                    }
                    return outcome.verdict();
                }
            } catch (CopyEndedException e) {
                boolean isFound = FOUND_BEFORE.stream().anyMatch(e.getMessage()::contains);
                if (!isFound || unlogged.get() == 0) {
                    wrong("it ended: " + e);
                }
                stops++;
                persist(() -> reencoding().revert());
            } catch (Exception e) { // of any kind: what remains is judged
                if (killsBegun.get() == before) { // no kill was under way meanwhile
                    wrong("it ended: " + e);
                    return Optional.empty();
                }
            }
        }
        wrong("it did not end in " + ATTEMPTS + " attempts");
        return Optional.empty();
    }

    /** Tries again as long as connections are killed. */
    private void persist(Work work) throws Exception {
        for (int before = killsEnded.get(); ; before = killsEnded.get()) {
            try {
                work.run();
                return;
            } catch (SQLException | ReencodeException e) {
                if (killsBegun.get() == before) { // no kill was under way meanwhile
                    throw e;
                }
            }
        }
    }

    private Judgement judge(Connection connection, Verdict verdict) throws SQLException {
        replica.await();
        String old = schema + ".t_blobmark_old";
        Judgement judgement = Judgement.of(
                histories,
                new Judgement.Tables(read(connection, table()), read(connection, old), read(onReplica, table())),
                Difference.read(connection, schema),
                verdict,
                plan.mayLeaveLog());
        finish(connection, verdict, old);
        return judgement;
    }

    /** The former table is dropped only if nothing is open. */
    private void finish(Connection connection, Verdict verdict, String old) throws SQLException {
        boolean isFinished = true;
        try {
            reencoding().finish();
        } catch (ReencodeException e) {
            isFinished = false;
        } catch (Exception e) {
            wrong("finish: " + e);
        }
        boolean isThere = !Sql.strings(connection, "SHOW TABLES FROM " + schema + " LIKE 't\\_blobmark\\_old'")
                .isEmpty();
        if (isFinished == verdict.isOpen() || isThere != verdict.isOpen()) {
            wrong("finish: the former table " + old + " is " + (isThere ? "" : "not ") + "there after " + verdict);
        }
    }

    private static Map<Integer, Content> read(Connection connection, String table) throws SQLException {
        Map<Integer, Content> rows = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id, payload, note FROM " + table)) {
            while (row.next()) {
                rows.put(row.getInt(1), Content.of(row.getBytes(2), row.getString(3)));
            }
        }
        return rows;
    }
}
