package dev.blobmark.reencode.world;

import dev.blobmark.reencode.binlog.IncompleteLogException;
import dev.blobmark.reencode.binlog.KeyReader;
import dev.blobmark.reencode.binlog.TableName;
import dev.blobmark.reencode.change.ChangeFeed;
import dev.blobmark.reencode.change.LogFeed;
import dev.blobmark.reencode.change.LogPlace;
import dev.blobmark.reencode.change.TriggerFeed;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.copy.BothTables;
import dev.blobmark.reencode.copy.CopySession;
import dev.blobmark.reencode.copy.ShadowCopy;
import dev.blobmark.reencode.cutover.CopyServer;
import dev.blobmark.reencode.cutover.TableExchange;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.table.TableIdentity;
import dev.blobmark.reencode.table.TableLock;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a process of Blobmark sees of the server. */
final class ModelServer implements CopyServer {

    private static final KeyReader KEY = new KeyReader(4, List.of(new KeyReader.Part("id", 0, false, 0)));
    private static final String SERVER = "server 1";

    private final World world;
    private final Process process;
    private final Model model;

    ModelServer(World world, Process process) {
        this.world = world;
        this.process = process;
        model = world.model;
    }

    private void ask(String what) throws SQLException {
        world.call(process, process.asking, () -> what);
    }

    private static SQLException noTable() {
        return new SQLException("Table 'shop.t' doesn't exist", "42S02", 1146);
    }

    @Override
    public Optional<TableIdentity> identity(String table) throws SQLException {
        ask("asks for the number of " + table);
        return Optional.ofNullable(model.tables.get(table))
                .map(found -> new TableIdentity(Long.toString(found.number)));
    }

    @Override
    public String definition() throws SQLException {
        ask("SHOW CREATE TABLE t");
        return definition(model.tables.get(Model.TABLE));
    }

    private static String definition(Table table) throws SQLException {
        if (table == null) {
            throw noTable();
        }
        return table.definition;
    }

    @Override
    public void write(State state) throws SQLException {
        try (ModelSession session = new ModelSession(world, process, process.asking)) {
            session.write(state);
            session.commit();
        }
    }

    @Override
    public void removeUnknown(String definition) throws SQLException, InterruptedException {
        ask("removes what a former process may have made");
        if (model.tables.containsKey(Model.TABLE)) {
            world.alone(
                    process,
                    process.asking,
                    List.of(Model.TABLE),
                    () -> model.tables.get(Model.TABLE).triggers = List.of());
        }
        model.tables.remove(Model.KEYS);
        Table fresh = model.tables.get(Model.FRESH);
        if (fresh != null) {
            if (!fresh.definition.equals(definition) || !fresh.rows.isEmpty()) {
                throw new ReencodeException("shop.t_blobmark_new", "it is not ours", "it was left as it is");
            }
            world.alone(process, process.asking, List.of(Model.FRESH), () -> model.tables.remove(Model.FRESH));
        }
    }

    @Override
    public void makeFresh() throws SQLException {
        ask("CREATE TABLE t_blobmark_new LIKE t");
        if (model.tables.containsKey(Model.FRESH)) {
            throw new SQLException("Table 't_blobmark_new' already exists", "42S01", 1050);
        }
        model.make(Model.FRESH, definition(model.tables.get(Model.TABLE)), "");
        world.answer(process, process.asking);
    }

    @Override
    public boolean isByLog() throws SQLException {
        ask("asks for the settings of the log");
        return model.hasLog && model.logProblem.isEmpty();
    }

    @Override
    public boolean isLogOrdered() throws SQLException {
        ask("asks for binlog_order_commits");
        return model.isOrdered;
    }

    @Override
    public LogPlace logNow() throws SQLException {
        ask("asks where the log is written");
        return place();
    }

    LogPlace place() {
        return new LogPlace(model.log.name + ":" + model.log.end(), SERVER, model.log.createdSeconds);
    }

    @Override
    public LogPlace lockedLogNow() throws SQLException, InterruptedException {
        Session locking = model.connect(process + " locking", process);
        try {
            TableLock.take("t", world.clock, () -> world.lock(process, locking, List.of(Model.TABLE), false));
            return logNow();
        } finally {
            model.kill(locking);
        }
    }

    @Override
    public void makeTriggers() throws SQLException, InterruptedException {
        ask("CREATE TABLE t_blobmark_keys");
        if (!model.tables.containsKey(Model.KEYS)) {
            model.make(Model.KEYS, "keys", "");
        }
        for (String event : List.of("INSERT", "UPDATE", "DELETE")) {
            world.alone(process, process.asking, List.of(Model.TABLE), () -> {
                Table table = model.tables.get(Model.TABLE);
                List<String> triggers = new ArrayList<>(table.triggers);
                triggers.add("trigger for " + event);
                table.triggers = List.copyOf(triggers);
            });
        }
    }

    @Override
    public List<String> triggers() throws SQLException {
        ask("reads the triggers of t");
        Table table = model.tables.get(Model.TABLE);
        return table == null ? List.of() : table.triggers;
    }

    @Override
    public Optional<String> awaitPrepared(long nanos) throws SQLException {
        ask("XA RECOVER");
        List<Transaction> left = new ArrayList<>(model.prepared);
        long begin = world.clock.nanoTime();
        while (!left.isEmpty() && world.clock.nanoTime() - begin < nanos) {
            world.pause(process);
            ask("XA RECOVER");
            left.retainAll(model.prepared);
        }
        return left.isEmpty() ? Optional.empty() : Optional.of("there are transactions that are prepared");
    }

    @Override
    public Optional<String> obstacle(boolean isByLog) throws SQLException {
        ask("asks for foreign keys, triggers, privileges and settings");
        Table table = model.tables.get(Model.TABLE);
        if (isByLog && table != null && !table.triggers.isEmpty()) {
            return Optional.of("others made triggers");
        }
        return isByLog ? model.logProblem : Optional.empty();
    }

    /** As the production's witness does, but by what was committed: a difference would have been found before. */
    @Override
    public State judged(State exchanged) throws SQLException, InterruptedException {
        ask("compares the former table with the new one");
        Table former = model.tables.get(Model.FORMER);
        boolean isKnown = former != null
                && new TableIdentity(Long.toString(former.number))
                        .equals(exchanged
                                .copy()
                                .orElseThrow()
                                .tables()
                                .orElseThrow()
                                .former());
        if (!isKnown) {
            throw new ReencodeException("shop.t", "the former table is gone or another one", "compare with a backup");
        }
        State judged = exchanged
                .with(exchanged.copy().orElseThrow().with(new Verdict(former.rows.size(), 0, 0, 0, false, true)))
                .ended();
        write(judged);
        world.alone(process, process.asking, List.of(Model.FORMER), () -> former.triggers = List.of());
        return judged;
    }

    @Override
    public void closeView() {
        // nothing is kept
    }

    @Override
    public CopySessions open(State state) throws SQLException {
        ask("connects");
        Optional<LogPlace> log = state.copy().orElseThrow().log();
        return new OpenedSessions(log.isPresent() ? feed(log.get()) : new TriggerFeed(), log.isPresent());
    }

    private ChangeFeed feed(LogPlace from) throws SQLException {
        if (!from.server().equals(SERVER)) {
            throw new IncompleteLogException("another server");
        }
        process.events = new ModelLogEvents(model, process, from);
        return new LogFeed(
                process.events,
                new TableName("shop", Model.TABLE, true),
                KEY,
                from,
                Optional.empty(),
                work -> process.reading = new Coroutine(work));
    }

    private final class OpenedSessions implements CopySessions {
        private final ChangeFeed feed;
        private final boolean isByLog;
        private final Session writing = model.connect(process + " writing", process);
        private final Session reading = model.connect(process + " reading", process);
        private final Session finding = model.connect(process + " finding", process);
        private final Session locking = model.connect(process + " locking", process);
        private final Session other = model.connect(process + " renaming", process);
        private final ShadowCopy copy;

        OpenedSessions(ChangeFeed feed, boolean isByLog) {
            this.feed = feed;
            this.isByLog = isByLog;
            copy = new ShadowCopy(new ShadowCopy.Surroundings(
                    world.work,
                    new ModelRows(world, process, reading, ModelRows.Kind.FORMER, true),
                    new ModelSession(world, process, writing),
                    new ModelRows(world, process, finding, ModelRows.Kind.FORMER, true),
                    World.LIMITS,
                    feed,
                    reason -> world.told(process + " tries again: " + reason),
                    notice -> world.told(process + " says: " + notice)));
        }

        @Override
        public ShadowCopy copy() {
            return copy;
        }

        @Override
        public ShadowCopy.ExclusiveLock lock() {
            TableExchange all = exchange();
            return new ShadowCopy.ExclusiveLock() {
                @Override
                public void lock() throws SQLException {
                    all.lock(false);
                }

                @Override
                public CopySession holder() {
                    return locked();
                }

                @Override
                public Optional<String> passedOver() throws SQLException {
                    return model.product.isLockedByDetached ? Optional.empty() : awaitPrepared(500_000_000);
                }

                @Override
                public void unlock() throws SQLException {
                    all.unlock();
                }
            };
        }

        @Override
        public BothTables both() {
            return new ModelView(world, process, model.connect(process + " comparing", process));
        }

        @Override
        public TableExchange exchange() {
            List<String> written = new ArrayList<>(List.of(Model.FRESH, Model.STATES));
            if (!isByLog) {
                written.add(Model.KEYS);
            }
            return new ModelExchange(world, process, locking, other, written);
        }

        @Override
        public CopySession locked() {
            return new ModelSession(world, process, locking);
        }

        @Override
        public String definition() throws SQLException {
            world.call(process, locking, () -> "SHOW CREATE TABLE t");
            return ModelServer.definition(model.tables.get(Model.TABLE));
        }

        @Override
        public List<String> differences() throws SQLException {
            world.call(process, locking, () -> "compares the definitions");
            Table fresh = model.tables.get(Model.FRESH);
            return fresh != null && fresh.definition.equals(ModelServer.definition(model.tables.get(Model.TABLE)))
                    ? List.of()
                    : List.of("columns");
        }

        @Override
        public void keepView() throws SQLException {
            world.call(process, locking, () -> "opens a view of t_blobmark_new");
        }

        @Override
        public void close() throws SQLException {
            for (Session session : List.of(writing, reading, finding, locking, other)) {
                if (!process.isKilled) { // otherwise the server notices it later
                    model.kill(session);
                }
            }
            copy.close();
            feed.close();
        }
    }
}
