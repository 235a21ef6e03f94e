package dev.blobmark.reencode.world;

import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.table.NumberKey;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.cutover.Copying;
import dev.blobmark.reencode.failure.Failures;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.inplace.InPlace;
import dev.blobmark.reencode.inplace.Work;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.RowImage;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.TableLock;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.throttle.Throttle;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.ValueFormat;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** One copy of a table in a world whose events follow from a seed. */
final class World {

    static final Chunks.Limits LIMITS = new Chunks.Limits("mediumblob", 1 << 24, 1 << 26);

    private static final TableColumn COLUMN = TableColumn.of("shop", Model.TABLE, "payload");
    private static final Conversion CONVERSION =
            Conversion.to(new Target("lz4", new EncodingPolicy(0, 0, true)), Before.RAW, Dictionaries.NONE);

    /** The moment from which on others begin nothing new. */
    private static final long QUIET_AFTER = 1_500;

    /** Waits for a millisecond are many in a row. */
    private static final long LEAST_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** While a process or its network stands still. */
    private static final int MOST_AT_ONCE = 30;

    /** What others do before a process begins. */
    private static final int MOST_BEFORE = 120;

    private static final long MOST_ASLEEP = 400;
    private static final long STUCK_AFTER = 12_000;
    private static final int MOST_ATTEMPTS = 8;

    /** How it ended. */
    enum Ending {
        EXCHANGED,
        ENDED,
        NOT_ADMITTED,
        REFUSED,
        LOST
    }

    final ValueFormat reader = ValueFormat.builder().build();
    final Clock clock = new WorldClock();
    final Model model;
    final Auditor auditor;
    final Others others;
    final Work work;

    /** A table of somebody else with a name that the copy needs; null without. */
    Table foreign;

    private final long seed;
    private final Set<Long> leftOut;

    /** What happened at which moment, if it is kept. */
    private final List<String> history;

    /** Moments at which others did something. */
    final Map<Long, Boolean> eventful = new LinkedHashMap<>();

    private long moment;
    private long nanos;
    private int phase;
    private long phaseBegin;
    private boolean isEventful;
    private boolean isTakenOver;

    /** Who sleeps while another process works, and until when; null for nobody. */
    private Process asleep;

    private long asleepUntil;
    private Process current;

    /**
     * @param leftOut moments at which others do nothing
     * @param history receives what happens; null if nobody reads it
     */
    World(long seed, Set<Long> leftOut, List<String> history) {
        this.seed = seed;
        this.leftOut = leftOut;
        this.history = history;
        Chance chance = new Chance(seed, -1);
        Model.Product product = chance.in1000(500) ? Model.Product.MYSQL : Model.Product.MARIADB;
        model = new Model(this, product, product == Model.Product.MARIADB || chance.in1000(500), chance.in1000(650));
        auditor = new Auditor(this);
        others = new Others(this, chance);
        others.fill(model.make(Model.TABLE, Model.DEFINITION, ""), chance);
        work = new Work(
                COLUMN,
                NumberKey.of(COLUMN, "id"),
                CONVERSION,
                new Throttle(100, OptionalLong.empty(), clock, this::note),
                RowImage.NONE,
                TimeUnit.MILLISECONDS.toNanos(100),
                0,
                clock);
        note("seed " + seed + ": " + product + (model.hasLog ? ", by the log" : ", by triggers")
                + (model.isOrdered ? "" : ", binlog_order_commits = OFF") + "; others have " + others.habits.keySet());
    }

    private final class WorldClock implements Clock {
        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public void sleep(long time) {
            nanos += Math.max(time, LEAST_SLEEP_NANOS);
            moments(2);
        }

        @Override
        public void waitUntil(long time) {
            nanos = Math.max(nanos, time);
        }
    }

    /** What happens by the decision of somebody, which may be left out. */
    void note(String what) {
        isEventful = true;
        told(what);
    }

    void told(String what) {
        if (history != null) {
            history.add(String.format("%6d  %s", moment, what));
        }
    }

    /** 1 when the tables are compared, 2 when they are exchanged. */
    int phase() {
        return phase;
    }

    long momentsOfPhase() {
        return moment - phaseBegin;
    }

    /** What transactions without a log do in this world: changes of values, of notes, DELETE or any. */
    int kindOfUnlogged() {
        Chance chance = new Chance(seed, -4);
        int kind = chance.below(4);
        return kind == 3 ? new Chance(seed, -5 - moment).below(100) : 20 + 25 * kind;
    }

    /** Whether the present time of some moments is one of half of them. */
    boolean isIn(int which, long window) {
        return new Chance(seed, -10 - which - 100 * (moment / window)).in1000(500);
    }

    /** The offset in the log up to which the state says that changes are dealt with; empty if there is none. */
    OptionalLong placeOfState() {
        ModelSession.Owned owned =
                (ModelSession.Owned) model.tables.get(Model.STATES).rows.get(0);
        return owned == null
                ? OptionalLong.empty()
                : owned.state().copy().orElseThrow().log().stream()
                        .mapToLong(place -> dev.blobmark.reencode.binlog.LogPosition.parse(place.position())
                                .offset())
                        .findAny();
    }

    void loseReader() {
        if (current != null && current.events != null) {
            current.events.lose();
        }
    }

    long moment() {
        return moment;
    }

    boolean isQuiet() {
        return moment > QUIET_AFTER;
    }

    int rowsAtOnce() {
        return 1 + new Chance(seed, -2 - moment).below(4);
    }

    private static SQLException lost(Session session) {
        return new SQLException("the connection of " + session + " was lost", "08S01");
    }

    /** Before each statement of Blobmark, others may do something. */
    void call(Process process, Session session, Supplier<String> what) throws SQLException {
        nanos += 1_000_000;
        current = process;
        Chance chance = new Chance(seed, ~moment);
        moments(chance.in1000(30) ? chance.below(MOST_AT_ONCE) : chance.below(4));
        answer(process, session);
        if (history != null) {
            String line = String.format("%6s  %s: %s", "", process, what.get());
            if (history.isEmpty() || !history.get(history.size() - 1).equals(line)) { // a loop of questions
                history.add(line);
            }
        }
    }

    /** The statement was carried out, and its answer may be lost. */
    void answer(Process process, Session session) throws SQLException {
        if (process.isKilled) {
            throw new Process.KilledError();
        }
        if (session.isDead) {
            throw lost(session);
        }
    }

    /** Time passes. */
    void pause(Process process) {
        nanos += 50_000_000;
        current = process;
        moments(2);
        if (process.isKilled) {
            throw new Process.KilledError();
        }
    }

    private void moments(int count) {
        Process process = current;
        for (int i = 0; i < count; i++) {
            moment++;
            if (asleep != null && moment > asleepUntil) { // its locks are in the way
                sessionsOf(asleep).forEach(model::kill);
            }
            if (moment > STUCK_AFTER) {
                throw new Auditor.BrokenPromiseException(Auditor.ENDING, "it does not end");
            }
            if (!leftOut.contains(moment)) {
                long now = moment;
                isEventful = false;
                others.act(new Chance(seed, moment), process);
                if (isEventful) {
                    eventful.put(now, true);
                }
            }
        }
    }

    /** Lets the reader of the log go on for some events. */
    void read(Process process, int events) {
        if (process != null && process.reading != null) {
            process.readable = events;
            process.reading.resume();
        }
    }

    /** Waits until something is free. */
    void await(Process process, Session session, BooleanSupplier isFree, long most, String what) throws SQLException {
        long begin = nanos;
        answer(process, session);
        while (!isFree.getAsBoolean()) {
            if (nanos - begin > most) {
                throw new SQLException("Lock wait timeout exceeded; " + what, "HY000", 1205);
            }
            pause(process);
            answer(process, session);
        }
    }

    /** A table for a transaction of a session, which keeps its definition until it ends. */
    Table use(Process process, Session session, String name, boolean isChange) throws SQLException {
        await(
                process,
                session,
                () -> model.tables.get(name) == null || model.uses(session, model.tables.get(name), isChange),
                TimeUnit.SECONDS.toNanos(10),
                "definition of " + name);
        Table table = model.tables.get(name);
        if (table == null) {
            throw new SQLException("Table 'shop." + name + "' doesn't exist", "42S02", 1146);
        }
        return table;
    }

    /** LOCK TABLES. */
    void lock(Process process, Session session, List<String> names, boolean isForReading) throws SQLException {
        call(process, session, () -> "LOCK TABLES " + names + (isForReading ? " READ" : " WRITE"));
        if (session.transaction != null) {
            commit(process, session);
        }
        model.unlock(session);
        wait(process, session, names, isForReading ? Table.Use.LOCK_READ : Table.Use.LOCK_WRITE, () -> {
            for (String name : names) {
                Table table = model.tables.get(name);
                table.lockers.put(session, isForReading ? Table.Use.LOCK_READ : Table.Use.LOCK_WRITE);
                session.locked.add(table);
            }
        });
    }

    /** Changes the definition of tables while nobody uses them. */
    void alone(Process process, Session session, List<String> names, Runnable change)
            throws SQLException, InterruptedException {
        TableLock.take("t", clock, () -> {
            call(process, session, () -> "waits until nobody uses " + names);
            wait(process, session, names, Table.Use.ALTER, change);
        });
        answer(process, session);
    }

    private void wait(Process process, Session session, List<String> names, Table.Use use, Runnable then)
            throws SQLException {
        List<Table> waiting = new ArrayList<>();
        try {
            for (String name : names) {
                Table table = model.tables.get(name);
                if (table == null) {
                    throw new SQLException("Table 'shop." + name + "' doesn't exist", "42S02", 1146);
                }
                if (model.isVictim(session, table, use)) {
                    throw new SQLException("Deadlock found when trying to get lock", "40001", 1213);
                }
                table.await(session, use);
                waiting.add(table);
            }
            await(
                    process,
                    session,
                    () -> waiting.stream().allMatch(table -> model.isGranted(session, table, use)),
                    TimeUnit.SECONDS.toNanos(1),
                    "tables " + names);
            for (int i = 0; i < names.size(); i++) { // it waits for names
                if (model.tables.get(names.get(i)) != waiting.get(i)) {
                    throw new SQLException("Deadlock found when trying to get lock", "40001", 1213);
                }
            }
            then.run();
        } finally {
            waiting.forEach(table -> table.leave(session));
        }
    }

    void commit(Process process, Session session) throws SQLException {
        Transaction transaction = session.transaction;
        if (transaction == null) {
            return;
        }
        model.log(transaction);
        for (int i = 0; transaction.stage != Transaction.Stage.ENDED; i++) {
            pause(process);
            if (i > 20 && transaction.stage != Transaction.Stage.ENDED) {
                model.show(model.isOrdered ? model.ready().get(0) : transaction);
            }
        }
        answer(process, session);
    }

    /** Another process takes the change over, and this one goes on later. */
    void takeOver(Process process) {
        if (isTakenOver || process.asking == null || model.changeLock != process.asking) {
            return;
        }
        isTakenOver = true;
        note("the session '" + process.asking + "' is lost; " + process + " does not notice it for a while");
        model.kill(process.asking);
        asleep = process;
        asleepUntil = moment + MOST_ASLEEP;
        try {
            process(new Process("the second process"));
        } catch (Process.KilledError e) {
            note("the second process was killed");
        } catch (SQLException | InterruptedException | RuntimeException e) {
            if (e instanceof Auditor.BrokenPromiseException broken) {
                throw broken;
            }
            note("the second process ends: " + e.getMessage());
        } finally {
            asleep = null;
        }
        current = process;
    }

    private final InPlace.Listener progress = new InPlace.Listener() {
        @Override
        public void committed(State state) {
            // nobody looks at it
        }

        @Override
        public void repeated(String reason) {
            note("tries again: " + reason);
        }
    };

    private final ReencodeListener listener = new ReencodeListener() {
        @Override
        public void progressed(Progress done) {
            // nobody looks at it
        }

        @Override
        public void noticeIssued(String notice) {
            told("says: " + notice);
            int now = notice.equals(Copying.COMPARING) ? 1 : notice.equals(Copying.EXCHANGING) ? 2 : 0;
            if (now > phase) {
                phase = now;
                phaseBegin = moment;
            }
        }
    };

    /** A process from its begin to its end, as {@code Reencoding} and {@code Plan} do it. */
    private void process(Process process) throws SQLException, InterruptedException {
        current = process;
        process.asking = model.connect(process + " asking", process);
        try {
            await(
                    process,
                    process.asking,
                    () -> model.changeLock == null,
                    TimeUnit.SECONDS.toNanos(100),
                    "the lock of the change");
            model.changeLock = process.asking;
            Table states = model.tables.get(Model.STATES);
            await(
                    process,
                    process.asking,
                    () -> states.locks.isEmpty() && states.lockers.isEmpty(),
                    100_000_000_000L,
                    "the state");
            ModelSession.Owned owned = (ModelSession.Owned) states.rows.get(0);
            State state = owned == null
                    ? State.begin(
                                    "world",
                                    Before.RAW,
                                    new Target("lz4", new EncodingPolicy(0, 0, true)),
                                    true,
                                    List.of("id"),
                                    Instant.EPOCH)
                            .with(State.Copy.PLANNED)
                    : owned.state();
            states.rows.put(0, new ModelSession.Owned(process.name, state));
            if (state.isCopying()) {
                Copying copying = new Copying(new ModelServer(this, process), COLUMN, clock);
                try {
                    copying.run(copying.begin(state), progress, listener);
                } catch (CompletionException e) { // of the reader
                    if (e.getCause() instanceof Process.KilledError killed) {
                        throw killed;
                    }
                    throw e;
                }
            }
        } finally {
            if (!process.isKilled) {
                model.kill(process.asking);
            }
        }
    }

    private List<Session> sessionsOf(Process process) {
        return model.sessions.stream()
                .filter(session -> session.process == process)
                .toList();
    }

    /** Runs processes until one comes to an end, and judges it. */
    Ending run() throws InterruptedException {
        moments(new Chance(seed, -3).below(MOST_BEFORE));
        Ending ending = Ending.LOST;
        for (int i = 1; i <= MOST_ATTEMPTS && ending == Ending.LOST; i++) {
            Process process = new Process("process " + i);
            try {
                process(process);
                ending = Ending.EXCHANGED;
            } catch (Process.KilledError e) {
                note(process + " was killed");
            } catch (SQLException e) {
                note(process + " fails: " + e.getMessage());
                ending = Failures.isConnectionLost(e) ? Ending.LOST : Ending.REFUSED;
            } catch (AdmissionException e) {
                note(process + " is not admitted: " + e.getMessage());
                ending = isQuiet() || i == MOST_ATTEMPTS ? Ending.NOT_ADMITTED : Ending.LOST;
            } catch (ReencodeException e) {
                note(process + " ends: " + e.getMessage());
                ending = e instanceof dev.blobmark.reencode.failure.CopyEndedException ? Ending.ENDED : Ending.REFUSED;
            } finally {
                if (process.isKilled) { // whatever it said last; the server notices it later
                    ending = Ending.LOST;
                    moments(8);
                }
                sessionsOf(process).forEach(model::kill);
                if (process.reading != null) {
                    process.isKilled = true;
                    process.reading.resume(); // ends
                }
            }
        }
        while (!model.logged.isEmpty()) {
            model.show(model.logged.get(0));
        }
        auditor.judge("at the end");
        requireReason(ending);
        Optional.ofNullable(foreign).ifPresent(table -> {
            if (model.tables.get(Model.FORMER) != table) {
                throw new Auditor.BrokenPromiseException(Auditor.FOREIGN, "t_blobmark_old of somebody else is gone");
            }
        });
        return ending;
    }

    /** A copy ends only for a reason, and not because of what it must bear. */
    private void requireReason(Ending ending) {
        boolean mayEnd = others.followed.keySet().stream().anyMatch(Others.Habit::mayEnd);
        boolean isTaken = others.followed.containsKey(Others.Habit.TAKE_OVER);
        boolean isBorne = others.followed.keySet().stream()
                .allMatch(habit -> habit == Others.Habit.MINIMAL_IMAGES || habit == Others.Habit.ROTATE_LOG);
        boolean isExplained = switch (ending) {
            case EXCHANGED -> true;
            case ENDED -> mayEnd || isTaken;
            case REFUSED -> mayEnd || isTaken;
            case NOT_ADMITTED, LOST -> !isBorne;
        };
        if (!isExplained) {
            throw new Auditor.BrokenPromiseException(Auditor.ENDING, "it is " + ending + " without a reason");
        }
    }
}
