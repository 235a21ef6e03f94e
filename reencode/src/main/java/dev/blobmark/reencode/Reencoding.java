package dev.blobmark.reencode;

import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.TableSession;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.MySqlSource;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.directory.Scratch;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.check.Preflight;
import dev.blobmark.reencode.check.Preview;
import dev.blobmark.reencode.checkpoint.ChangedTableException;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.State.Phase;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.cutover.CopyEnding;
import dev.blobmark.reencode.failure.ConnectionLostException;
import dev.blobmark.reencode.failure.Failures;
import dev.blobmark.reencode.failure.HostLostException;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.inplace.WriterHost;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.row.WritingConnection;
import dev.blobmark.reencode.table.Connections;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.table.TableInForce;
import dev.blobmark.reencode.terms.Outcome;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.reencode.throttle.Control;
import dev.blobmark.reencode.throttle.ReplicaLag;
import dev.blobmark.reencode.throttle.Signal;
import dev.blobmark.reencode.throttle.Throttle;
import dev.blobmark.reencode.verify.Verification;
import dev.blobmark.reencode.verify.Verified;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Changes how the values of a column are stored while others read and write them, or takes that back. All it knows is
 * in tables next to the data, so that it may be killed at any time: the same call continues.
 */
public final class Reencoding {

    /** The notice that a copy was taken back that was not exchanged. */
    public static final String DROPPED = "the new table was dropped; the table is as the application left it";

    /** How long a lost server is waited for. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final MySqlSource source;
    private final Path cache;
    private final TableColumn named;
    private final ReencodeOptions options;
    private final String program;
    private final ReencodeListener listener;
    private final String owner = UUID.randomUUID().toString();

    /** As the server writes its name, which may differ in case. */
    private TableColumn column;

    private StateTable states;
    private Optional<WriterHost.Starter> hosts = Optional.empty();
    private Throttle throttle;
    private Reports reports;
    private volatile Optional<Control> control = Optional.empty();
    private volatile boolean isStopped;

    /** RowSource of the table, if {@link #preview} could count them. */
    private OptionalLong counted = OptionalLong.empty();

    /** Of the change that this object has begun or continued. */
    private Optional<Instant> begun = Optional.empty();

    /**
     * @param source of the server that has the table
     * @param program version of Blobmark
     */
    public Reencoding(
            MySqlSource source,
            Path cache,
            TableColumn column,
            ReencodeOptions options,
            String program,
            ReencodeListener listener) {
        this.source = source;
        this.cache = cache;
        named = column;
        this.options = options;
        this.program = program;
        this.listener = listener;
        use(column);
    }

    /**
     * Lets processes of other hosts change the rows, as many as there are writers, if the change begins with this call.
     */
    public void writeOn(WriterHost.Starter starter) {
        hosts = Optional.of(starter);
    }

    private void use(TableColumn found) {
        column = found;
        states = new StateTable(found, owner);
    }

    /** Ends the work soon; what was committed stays. Any thread may call it. */
    public void interrupt() {
        isStopped = true;
        control.ifPresent(Control::stop);
    }

    /** Executes a command of the socket while it works. Any thread may call it. */
    public void command(String line) {
        if (line.strip().equals("stop")) {
            interrupt();
        } else {
            control.ifPresent(of -> of.answer(line));
        }
    }

    private void check() {
        if (isStopped) {
            throw new StoppedException("stopped");
        }
    }

    /**
     * Looks at the table and a sample of it, and writes nothing.
     *
     * @param before how values are stored; ignored if a change was begun already
     */
    public Preview preview(Before before, Target target) throws SQLException, IOException, InterruptedException {
        try (Server server = source.open(cache);
                TableSession session = open(server.endpoint());
                Scratch scratch = Scratch.make(cache)) {
            Inspection inspection =
                    new Inspection(server.endpoint(), session, column, options, states, isDividing(), scratch.path());
            Preview preview = inspection.run(before, target);
            counted = inspection.counted();
            return preview;
        }
    }

    /** Opens a session, and finds how the server writes the column's name. */
    private TableSession open(Endpoint endpoint) throws SQLException {
        TableSession session = TableSession.open(endpoint, options.pace().load(), this::check, listener::noticeIssued);
        try {
            use(TableFacts.column(session.connection(), named));
            return session;
        } catch (SQLException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    private TableKey key(Connection connection) throws SQLException {
        return TableKey.of(connection, column);
    }

    /**
     * Changes all values, or continues to.
     *
     * @param before how values are stored; ignored if a change was begun already
     * @throws AdmissionException if it may not begin, or the server refuses to continue
     * @throws ReencodeException if another change is under way, or a value cannot be read
     */
    public Outcome change(Before before, Target target) throws SQLException, IOException, InterruptedException {
        return persistently(Optional.of(before), Optional.of(target));
    }

    /**
     * Takes a change back, finished or not, or continues to.
     *
     * @throws ReencodeException if nothing was changed
     */
    public Outcome revert() throws SQLException, IOException, InterruptedException {
        return persistently(Optional.empty(), Optional.empty());
    }

    /** A server that is lost is waited for. What was commanded meanwhile stays in force. */
    private Outcome persistently(Optional<Before> before, Optional<Target> target)
            throws SQLException, IOException, InterruptedException {
        throttle =
                new Throttle(options.pace().speed(), options.pace().binlogRate(), Clock.SYSTEM, listener::noticeIssued);
        reports = new Reports(listener, throttle);
        List<Server> replicas = new ArrayList<>();
        try {
            for (MySqlSource replica : options.pace().replicas()) {
                replicas.add(replica.open(cache));
            }
            List<Endpoint> endpoints = replicas.stream().map(Server::endpoint).toList();
            long lostNanos = 0;
            while (true) {
                try (Server server = source.open(cache)) {
                    return run(server.endpoint(), before, target, endpoints);
                } catch (ChangedTableException e) {
                    lostNanos = 0;
                    listener.noticeIssued(e.getMessage() + "; it is looked at again");
                } catch (SQLException | ServerException | ConnectionLostException | HostLostException e) {
                    Optional<Progress> last = reports.last();
                    boolean isUnknown = last.isEmpty(); // the first connection has no second attempt
                    if (isUnknown || !Failures.isConnectionLost(e)) {
                        throw refusal(e);
                    }
                    if (isStopped()) {
                        return new Outcome(false, last.get(), Optional.empty());
                    }
                    long now = System.nanoTime();
                    lostNanos = lostNanos == 0 || reports.progressNanos() - lostNanos > 0 ? now : lostNanos;
                    if (now - lostNanos > PATIENCE_NANOS) {
                        throw e;
                    }
                    reports.lost((e instanceof HostLostException ? "" : "the server was lost: ") + e.getMessage()
                            + "; trying again");
                    TimeUnit.SECONDS.sleep(1);
                }
            }
        } finally {
            control.ifPresent(Control::close);
            control = Optional.empty();
            replicas.forEach(Server::close);
        }
    }

    private boolean isStopped() {
        return isStopped || control.filter(Control::isStopped).isPresent();
    }

    private RuntimeException refusal(Exception e) throws SQLException {
        Exception refusal = Failures.refusal(column, e);
        if (refusal instanceof SQLException sql) {
            throw sql;
        }
        throw (RuntimeException) refusal;
    }

    private Outcome run(Endpoint endpoint, Optional<Before> before, Optional<Target> target, List<Endpoint> replicas)
            throws SQLException, IOException, InterruptedException {
        try (TableSession session = open(endpoint);
                Connection locking = JdbcDriver.connectForLoading(endpoint, "");
                Connection writing = JdbcDriver.connectForChanging(endpoint)) {
            Connection reading = session.connection();
            takeLock(locking);
            boolean isReadable = Preflight.missing(reading, column).isEmpty()
                    && TableFacts.read(reading, column)
                            .problems(options.isCopy())
                            .isEmpty();
            if (isReadable) { // otherwise the plan says why it may not begin
                Optional<State> known = states.read(reading);
                if (known.isPresent()) {
                    changed(session, endpoint, known.get()).require(options.force());
                }
            }
            // before the plan looks at it: what is altered later is noticed
            Optional<TableInForce> table =
                    isReadable ? Optional.of(new TableInForce(writing, column)) : Optional.empty();
            State state = new Plan(column, states, options, program, isDividing(), begun, listener)
                    .begin(reading, locking, endpoint, before, target);
            Progress begin = reports.progress(state, 0);
            reports.found();
            if (!state.isUnderWay()) {
                return new Outcome(true, begin, verdict(state));
            }
            begun = Optional.of(state.begun());
            if (control.isEmpty()) {
                control = Optional.of(
                        new Control(options.pace().pauseFile(), options.pace().socket(), throttle, reports::status));
            }
            WritingConnection.prepare(writing);
            Sql.execute(reading, "SET SESSION wait_timeout = " + WritingConnection.WAIT_SECONDS);
            TableFacts facts = TableFacts.read(reading, column);
            TableKey key = key(reading);
            Conversion conversion = state.conversion(Connections.dictionaries(endpoint, column));
            try (Guards guards = Guards.start(endpoint, column, key, options, replicas, locking)) {
                check();
                List<Signal> signals = new ArrayList<>();
                signals.add(control.get());
                signals.add(session::reasonToWait);
                signals.addAll(guards.signals());
                throttle.setSignals(signals);
                Reports.Reporting reporting = reports
                .new Reporting(counted.orElse(facts.rows()), state.counts().rows());
                listener.progressed(reporting.of(state));
                if (isDividing() && !state.isDivided()) {
                    listener.noticeIssued(
                            "one writer of this process changes the rows: they are divided only when a change"
                                    + " begins, in a table of several rows");
                }
                State ended = new Ways(
                                endpoint,
                                column,
                                key,
                                states,
                                conversion,
                                throttle,
                                options,
                                new Ways.Open(reading, writing, locking))
                        .run(state, facts, table, hosts, reporting, listener);
                Progress done = reporting.of(ended);
                listener.progressed(done);
                report(ended);
                return new Outcome(true, done, verdict(ended));
            } catch (StoppedException e) {
                return new Outcome(false, reports.last().orElse(begin), Optional.empty());
            }
        }
    }

    private static Optional<Verdict> verdict(State state) {
        return state.phase() == Phase.CHANGED ? state.copy().flatMap(State.Copy::verdict) : Optional.empty();
    }

    private boolean isDividing() {
        return options.writers() > 1 || hosts.isPresent();
    }

    private void report(State ended) {
        if (ended.counts().tooLong() > 0) {
            listener.noticeIssued(ended.counts().tooLong() + " values were left as they are: they are longer than "
                    + Conversion.MAX_LENGTH + " bytes, which readers accept, or than max_allowed_packet");
        }
    }

    /** Another one may be at work; or, after the connection was lost, the server may not know that yet. */
    private void takeLock(Connection locking) throws SQLException {
        try {
            ChangeLock.take(locking, column);
            if (options.isCopy()) { // the new table is that of all columns
                ChangeLock.take(locking, TableColumn.of(column.schema(), column.table(), StateTable.NAME));
            }
        } catch (AdmissionException e) {
            if (reports.isLost()) {
                throw new ConnectionLostException(e.getMessage());
            }
            throw e;
        }
    }

    /**
     * Compares all values with what the change read, by the checksums that it kept. Where others changed a value since,
     * its range differs.
     */
    public Verified verify() throws SQLException, IOException, InterruptedException {
        try (Server server = source.open(cache);
                TableSession session = open(server.endpoint())) {
            State state = states.read(session.connection())
                    .orElseThrow(() -> new ReencodeException(
                            column.name(), "no change of it is known here", "there is nothing to compare with"));
            ChangedTable table = changed(session, server.endpoint(), state);
            if (!table.hasSameKey()) {
                throw new ReencodeException(
                        column.name(),
                        "the key of the table has changed since, and the checksums are of ranges of the former one",
                        "--to " + state.codec() + " again makes new ones");
            }
            table.require(options.force());
            Conversion conversion =
                    Conversion.to(state.target(), state.before(), Connections.dictionaries(server.endpoint(), column));
            List<Verified> parts = new ArrayList<>();
            for (Verification part : table.verifications()) {
                parts.add(part.run(conversion));
            }
            return Verified.sum(parts).with(state.copy().flatMap(State.Copy::verdict));
        } catch (SQLException e) {
            throw refusal(e);
        }
    }

    private ChangedTable changed(TableSession session, Endpoint endpoint, State state) {
        return new ChangedTable(session, endpoint, column, states, state);
    }

    /** Forgets a change: what {@link #revert} and {@link #verify} need is deleted. Values stay as they are. */
    public void finish() throws SQLException, IOException, InterruptedException {
        finish(Set.of());
    }

    /**
     * The same, and accepts rows that differed at the exchange of a copy.
     *
     * @param accepted their keys as they are shown, parts separated by a comma and a space
     */
    public void finish(Set<String> accepted) throws SQLException, IOException, InterruptedException {
        try (Server server = source.open(cache);
                TableSession session = open(server.endpoint())) {
            Connection connection = session.connection();
            ChangeLock.take(connection, column);
            State state = states.read(connection)
                    .orElseThrow(() -> new ReencodeException(
                            column.name(), "no change of it is known here", "there is nothing to forget"));
            if (state.isUnderWay()) {
                throw new ReencodeException(
                        column.name(), state.inWords(), "continue it, or take it back with --revert, before");
            }
            changed(session, server.endpoint(), state).require(options.force());
            if (state.copy().isPresent()) {
                new CopyEnding(column, connection).finish(state, accepted);
            }
            states.remove(connection);
            ReplicaLag.forget(connection, column);
        } catch (SQLException e) {
            throw refusal(e);
        }
    }
}
