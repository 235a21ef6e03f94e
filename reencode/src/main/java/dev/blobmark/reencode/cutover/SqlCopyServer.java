package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.change.ChangeFeed;
import dev.blobmark.reencode.change.KeyColumns;
import dev.blobmark.reencode.change.LogFeed;
import dev.blobmark.reencode.change.LogPlace;
import dev.blobmark.reencode.change.LogSettings;
import dev.blobmark.reencode.change.PreparedTransactions;
import dev.blobmark.reencode.change.SqlFeedSession;
import dev.blobmark.reencode.change.TriggerFeed;
import dev.blobmark.reencode.checkpoint.Differences;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.copy.BothTables;
import dev.blobmark.reencode.copy.CopySession;
import dev.blobmark.reencode.copy.ShadowCopy;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.copy.SqlBothTables;
import dev.blobmark.reencode.copy.SqlCopySession;
import dev.blobmark.reencode.copy.View;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.inplace.Work;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.row.RowReader;
import dev.blobmark.reencode.row.WritingConnection;
import dev.blobmark.reencode.table.BytesColumn;
import dev.blobmark.reencode.table.Definition;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.table.TableIdentity;
import dev.blobmark.reencode.terms.ReencodeListener;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A server over connections. */
public final class SqlCopyServer implements CopyServer {

    private final Endpoint endpoint;
    private final TableColumn column;
    private final TableKey key;
    private final StateTable states;
    private final Connection asking;
    private final CopyTerms terms;
    private final SqlTables tables;

    /** Of the new table under the last lock. */
    private Optional<View> view = Optional.empty();

    /**
     * What a copy works with.
     *
     * @param reading a connection that nobody else uses
     * @param writing a connection whose transactions change the new table
     * @param finding a connection that reads rows again, in autocommit
     * @param value expression for the stored bytes of the former table
     * @param limits of values of the new table
     * @param repeated receives why rows that others changed cannot be dealt with yet
     */
    public record CopyTerms(
            Work work,
            Connection reading,
            Connection writing,
            Connection finding,
            String value,
            Chunks.Limits limits,
            Consumer<String> repeated,
            ReencodeListener listener) {}

    /** @param asking a connection for short questions and DDL */
    public SqlCopyServer(Endpoint endpoint, StateTable states, Connection asking, CopyTerms terms) {
        this.endpoint = endpoint;
        this.states = states;
        this.asking = asking;
        this.terms = terms;
        column = terms.work().column();
        key = terms.work().key();
        tables = new SqlTables(asking, column);
    }

    @Override
    public Optional<TableIdentity> identity(String table) throws SQLException {
        return tables.identity(table);
    }

    @Override
    public String definition() throws SQLException {
        return SqlTables.definition(asking, column);
    }

    @Override
    public void write(State state) throws SQLException {
        states.write(asking, state);
    }

    @Override
    public void removeUnknown(String definition) throws SQLException, InterruptedException {
        new Differences(column).remove(asking); // those of an earlier change
        tables.removeUnknown(definition);
    }

    @Override
    public void makeFresh() throws SQLException {
        ShadowTable.create(asking, column);
    }

    @Override
    public boolean isByLog() throws SQLException {
        return CopyChecks.isByLog(asking, Optional.empty());
    }

    @Override
    public boolean isLogOrdered() throws SQLException {
        return CopyChecks.isOn(Sql.pairs(asking, "SHOW GLOBAL VARIABLES LIKE 'binlog_order_commits'")
                .getOrDefault("binlog_order_commits", "ON")); // MariaDB does not have it, and keeps the order
    }

    @Override
    public LogPlace logNow() throws SQLException {
        return LogPlace.now(endpoint, asking);
    }

    @Override
    public LogPlace lockedLogNow() throws SQLException, InterruptedException {
        try (Connection locking = JdbcDriver.connectForChanging(endpoint)) {
            tables.lock(locking, Names.quoted(column.schema(), column.table()) + " WRITE");
            try {
                return logNow();
            } finally {
                Sql.execute(locking, "UNLOCK TABLES");
            }
        }
    }

    @Override
    public void makeTriggers() throws SQLException, InterruptedException {
        TriggerFeed.create(asking, column, key);
    }

    @Override
    public List<String> triggers() throws SQLException {
        return TriggerFeed.triggers(asking, column);
    }

    @Override
    public Optional<String> awaitPrepared(long nanos) throws SQLException, InterruptedException {
        return PreparedTransactions.awaitEnd(asking, nanos);
    }

    @Override
    public Optional<String> obstacle(boolean isByLog) throws SQLException {
        Optional<String> cluster = CopyChecks.cluster(asking);
        if (cluster.isPresent()) {
            return cluster;
        }
        List<String> dependents = CopyChecks.dependents(asking, column, isByLog);
        if (!dependents.isEmpty()) {
            return Optional.of("while the table was copied, others made: " + String.join(", ", dependents));
        }
        List<String> missing = CopyChecks.missing(asking, column, isByLog);
        if (!missing.isEmpty()) { // what others made may be invisible
            return Optional.of(String.join("; ", missing));
        }
        return isByLog
                ? LogSettings.problem(asking).map(problem -> "the binary log may be incomplete: " + problem)
                : Optional.empty();
    }

    @Override
    public CopySessions open(State state) throws SQLException {
        Optional<LogPlace> place = state.copy().orElseThrow().log();
        ChangeFeed feed = place.isPresent()
                ? LogFeed.open(
                        endpoint,
                        CopyChecks.name(asking, column),
                        KeyColumns.reader(asking, column, key),
                        place.get(),
                        Optional.empty())
                : new TriggerFeed();
        try {
            return new OpenConnections(feed, place.isPresent());
        } catch (SQLException | RuntimeException e) {
            feed.close();
            throw e;
        }
    }

    private CopySession session(Connection connection) throws SQLException {
        return new SqlCopySession(
                new SqlFeedSession(endpoint, connection, column, key),
                states,
                terms.value(),
                terms.limits().maxLength());
    }

    @Override
    public State judged(State exchanged) throws SQLException, InterruptedException {
        State state = exchanged;
        Map<String, String> type = Sql.row(
                asking,
                "SELECT data_type FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND column_name ="
                        + " ?",
                column.schema(),
                ShadowNames.former(column.table()),
                column.column());
        Optional<TableIdentity> former = tables.identity(ShadowNames.former(column.table()));
        if (type.isEmpty()
                || !former.equals(Optional.of(
                        state.copy().orElseThrow().tables().orElseThrow().former()))) {
            throw new ReencodeException(
                    column.name(),
                    "the tables are exchanged, and the former one, which was to be compared, is gone or another one",
                    "whether all changes of others are in the table is not known: compare with a backup or a replica");
        }
        try (Connection working = JdbcDriver.connectForChanging(endpoint);
                Connection keeping = JdbcDriver.connectForChanging(endpoint)) {
            tables.lock(keeping, SqlTableExchange.former(column) + " READ");
            WritingConnection.prepare(working);
            ComparedTables compared = new ComparedTables(
                    endpoint,
                    column,
                    key,
                    BytesColumn.value(column, type.get("data_type")),
                    terms.limits(),
                    terms.work().conversion(),
                    asking);
            State judged =
                    new Witness(compared, states, terms.work().throttle()).run(state, view, working, terms.listener());
            state = judged.ended();
        }
        states.write(asking, state);
        if (CopyTables.isByTriggers(state.copy().orElseThrow())) {
            // their table stays until the end: statements that waited during the exchange may still look for it
            TriggerFeed.dropTriggers(asking, column);
        }
        return state;
    }

    @Override
    public void closeView() throws SQLException {
        if (view.isPresent()) {
            view.get().close();
            view = Optional.empty();
        }
    }

    private final class OpenConnections implements CopySessions {
        private final ChangeFeed feed;
        private final boolean isByLog;
        private final CopySession writing;
        private final ShadowCopy copy;
        private final Connection locking;
        private final Connection other;
        private Optional<CopySession> locked = Optional.empty();

        OpenConnections(ChangeFeed feed, boolean isByLog) throws SQLException {
            this.feed = feed;
            this.isByLog = isByLog;
            locking = JdbcDriver.connectForChanging(endpoint);
            try {
                other = JdbcDriver.connectForChanging(endpoint);
            } catch (SQLException | RuntimeException e) {
                locking.close();
                throw e;
            }
            long maxLength = terms.limits().maxLength();
            writing = session(terms.writing());
            copy = new ShadowCopy(new ShadowCopy.Surroundings(
                    terms.work(),
                    new RowReader(terms.reading(), column, key, maxLength, terms.value()),
                    writing,
                    new RowReader(terms.finding(), column, key, maxLength, terms.value()),
                    terms.limits(),
                    feed,
                    terms.repeated(),
                    terms.listener()::noticeIssued));
        }

        @Override
        public ShadowCopy copy() {
            return copy;
        }

        @Override
        public ShadowCopy.ExclusiveLock lock() throws SQLException {
            TableExchange all = exchange();
            CopySession holder = locked(); // before others wait
            return new ShadowCopy.ExclusiveLock() {
                @Override
                public void lock() throws SQLException {
                    all.lock(false);
                }

                @Override
                public CopySession holder() {
                    return holder;
                }

                @Override
                public Optional<String> passedOver() throws SQLException, InterruptedException {
                    return Definition.isMariaDb(locking)
                            ? PreparedTransactions.awaitEnd(asking, LastMoment.LOOK_NANOS)
                            : Optional.empty();
                }

                @Override
                public void unlock() throws SQLException {
                    all.unlock();
                }
            };
        }

        @Override
        public BothTables both() throws SQLException {
            return new SqlBothTables(
                    View.open(JdbcDriver.connectForChanging(endpoint)),
                    column,
                    key,
                    terms.value(),
                    terms.limits().maxLength());
        }

        @Override
        public TableExchange exchange() throws SQLException {
            List<String> written = new ArrayList<>(List.of(ShadowTable.fresh(column), states.table()));
            if (!isByLog) {
                written.add(TriggerFeed.changes(column));
            }
            return new SqlTableExchange(column, written, locking, other, asking);
        }

        @Override
        public CopySession locked() throws SQLException {
            if (locked.isEmpty()) {
                WritingConnection.prepare(locking);
                locked = Optional.of(session(locking));
            }
            return locked.get();
        }

        @Override
        public String definition() throws SQLException {
            return SqlTables.definition(locking, column);
        }

        @Override
        public List<String> differences() throws SQLException {
            ShadowTable.settleCounter(locking, column);
            return Definition.differences(locking, column, column.table(), ShadowNames.fresh(column.table()));
        }

        @Override
        public void keepView() throws SQLException {
            if (view.isPresent()) {
                view.get().renew();
            } else {
                view = Optional.of(View.open(JdbcDriver.connectForChanging(endpoint)));
            }
        }

        @Override
        public void close() throws SQLException {
            try (feed;
                    copy;
                    locking;
                    other;
                    writing) {
                if (locked.isPresent()) {
                    locked.get().close();
                }
            }
        }
    }
}
