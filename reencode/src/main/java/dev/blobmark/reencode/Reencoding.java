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
import dev.blobmark.mysql.table.DatasetException;
import dev.blobmark.mysql.table.SampleLimits;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.mysql.table.TableSample;
import dev.blobmark.reencode.check.Dependents;
import dev.blobmark.reencode.check.Forecast;
import dev.blobmark.reencode.check.Preflight;
import dev.blobmark.reencode.check.Preview;
import dev.blobmark.reencode.check.Sampled;
import dev.blobmark.reencode.checkpoint.ChangedTableException;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.State.Phase;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.copy.ShadowCopy;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.cutover.CopyChecks;
import dev.blobmark.reencode.cutover.Copying;
import dev.blobmark.reencode.failure.ConnectionLostException;
import dev.blobmark.reencode.failure.Failures;
import dev.blobmark.reencode.failure.HostLostException;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.inplace.InParts;
import dev.blobmark.reencode.inplace.InPlace;
import dev.blobmark.reencode.inplace.LocalWriter;
import dev.blobmark.reencode.inplace.PartWriter;
import dev.blobmark.reencode.inplace.RemoteWriter;
import dev.blobmark.reencode.inplace.Work;
import dev.blobmark.reencode.inplace.WriterHost;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.RowImage;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.row.WritingConnection;
import dev.blobmark.reencode.table.BytesColumn;
import dev.blobmark.reencode.table.ColumnIdentity;
import dev.blobmark.reencode.table.Connections;
import dev.blobmark.reencode.table.Definition;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.table.TableIdentity;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
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

    private static final int LOCK_SECONDS = 5;
    private static final int SAMPLED_VALUES = 1_000;
    private static final int SAMPLED_BYTES = 32 << 20;
    private static final int STATEMENT_MILLIS = 1_000;
    private static final long SEED = 20_261_126;

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

    /** Rows of the table, if {@link #preview} could count them. */
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
            Connection connection = session.connection();
            TableFacts facts = TableFacts.read(connection, column);
            List<String> problems = new ArrayList<>(facts.problems(options.isCopy()));
            List<String> missing = Preflight.missing(connection, column);
            problems.addAll(missing);
            Optional<State> state = missing.isEmpty() ? states.read(connection) : Optional.empty();
            state.flatMap(known -> Plan.conflict(known, target, options.isCopy()))
                    .ifPresent(problems::add);
            Optional<State> underWay = state.filter(State::isUnderWay);
            boolean isDone = state.filter(known -> Plan.isDone(known, target, options.isCopy()))
                    .isPresent();
            Before was = state.map(State::before).orElse(before);
            List<String> remarks = new ArrayList<>();
            Sampled sampled = Sampled.NONE;
            boolean hasKey = hasKey(connection, problems);
            if (hasKey && facts.problems(options.isCopy()).isEmpty()) {
                Path values = scratch.path().resolve("values");
                try {
                    TableColumn.Sample sample = session.read(
                            column, SEED, new SampleLimits(SAMPLED_VALUES, SAMPLED_BYTES, STATEMENT_MILLIS), values);
                    Conversion conversion =
                            Conversion.to(target, was, Connections.dictionaries(server.endpoint(), column));
                    int pageBytes = Integer.parseInt(JdbcDriver.variable(connection, "innodb_page_size"));
                    sampled = Sampled.of(sample, Files.readAllBytes(values), conversion, pageBytes);
                } catch (DatasetException e) { // an empty table may be changed
                    remarks.add("there is no sample: " + e.getMessage());
                } catch (Sampled.UnreadableException e) {
                    problems.add(e.inWords(connection, column, key(connection), facts.dataType()));
                }
            }
            if (isDone) {
                remarks.add("nothing is left to be done: the former table is kept until --finish");
            } else if (options.isCopy()) {
                Optional<State.Copy> begun = underWay.flatMap(State::copy);
                problems.addAll(CopyChecks.problems(connection, column, begun));
                if (underWay.isEmpty()) {
                    problems.addAll(ShadowTable.inTheWay(connection, column));
                }
                remarks.addAll(CopyChecks.remarks(facts, CopyChecks.isByLog(connection, begun)));
                remarks.addAll(Definition.remarks(connection, column));
            }
            problems.addAll(Preflight.problems(
                    connection,
                    server.endpoint(),
                    column,
                    options,
                    Optional.of(target),
                    underWay.isPresent() || isDone));
            remarks.addAll(Preflight.remarks(connection, options));
            if (isDividing()) {
                remarks.add("the time is that of one writer; several take less");
            }
            if (hasKey && sampled.values() > 0) {
                counted = TableSample.countRows(connection, column, STATEMENT_MILLIS);
            }
            long rows = counted.orElse(sampled.rows(facts.rows()));
            RowImage.leaveOutStatements(connection);
            RowImage image = hasKey ? RowImage.read(connection, column, key(connection)) : RowImage.NONE;
            Forecast forecast = new Forecast(sampled, rows, image, options);
            return new Preview(
                    column.name(),
                    was,
                    target.codec(),
                    options.isCopy(),
                    facts.type(),
                    rows,
                    facts.dataBytes(),
                    forecast.tableBytesAfter(facts.dataBytes()),
                    sampled.values(),
                    forecast.bytes(),
                    forecast.bytesAfter(),
                    sampled.changed() * sampled.valueShare(),
                    keepsOriginals(state) ? sampled.originals() : 0,
                    image.kind(),
                    forecast.binlogBytes(),
                    forecast.seconds(),
                    Dependents.read(connection, column),
                    Preflight.readers(connection, server.endpoint(), column),
                    problems,
                    remarks,
                    state.map(State::inWords));
        }
    }

    /** Whether what a sample shows as encoded was encoded by others than the change itself. */
    private boolean keepsOriginals(Optional<State> state) {
        return options.keepsOriginals()
                && !options.isCopy()
                && state.filter(known -> known.phase() != Phase.REVERTED).isEmpty();
    }

    /** Opens a session, and finds how the server writes the column's name. */
    private TableSession open(Endpoint endpoint) throws SQLException {
        TableSession session = TableSession.open(endpoint, options.load(), this::check, listener::noticeIssued);
        try {
            use(TableFacts.column(session.connection(), named));
            return session;
        } catch (SQLException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    private boolean hasKey(Connection connection, List<String> problems) throws SQLException {
        try {
            key(connection);
            return true;
        } catch (DatasetException e) {
            problems.add(e.getMessage());
            return false;
        }
    }

    private TableKey key(Connection connection) throws SQLException {
        return TableKey.of(connection, column);
    }

    private List<String> keyColumns(Connection connection) throws SQLException {
        return TableFacts.columns(connection, column, key(connection).names());
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
        throttle = new Throttle(options.speed(), options.binlogRate(), Clock.SYSTEM, listener::noticeIssued);
        reports = new Reports(listener, throttle);
        List<Server> replicas = new ArrayList<>();
        try {
            for (MySqlSource replica : options.replicas()) {
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
                    requireOurs(session, endpoint, known.get());
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
                control = Optional.of(new Control(options.pauseFile(), options.socket(), throttle, reports::status));
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
                State ended;
                if (state.isCopying()) {
                    ended = copy(endpoint, state, new Open(reading, writing, locking), facts, conversion, reporting);
                } else if (state.isDivided()) {
                    ended = inParts(endpoint, locking, conversion).run(state, reporting);
                } else {
                    try (InPlace work = new InPlace(
                            work(reading, writing, key, conversion),
                            facts,
                            table.orElseThrow(),
                            options.keepsOriginals())) {
                        ended = work.run(state, reporting);
                    }
                }
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

    /** Begins the work of several writers: processes on other hosts, or connections of this one. */
    private InParts inParts(Endpoint endpoint, Connection locking, Conversion conversion) {
        int number = options.writers();
        PartWriter.Opening opening = hosts.<PartWriter.Opening>map(starter -> () -> new RemoteWriter(starter.start()))
                .orElse(() -> new LocalWriter(
                        endpoint, column, conversion, options, Math.max(1, Chunks.converters() / number)));
        return new InParts(column, states, locking, throttle, opening, number);
    }

    /** The connections of the work. */
    private record Open(Connection reading, Connection writing, Connection locking) {}

    private Work work(Connection reading, Connection writing, TableKey key, Conversion conversion) throws SQLException {
        return new Work(
                column,
                key,
                reading,
                writing,
                conversion,
                states,
                throttle,
                RowImage.read(writing, column, key),
                options.transaction().toNanos(),
                Chunks.converters());
    }

    private State copy(
            Endpoint endpoint,
            State state,
            Open open,
            TableFacts facts,
            Conversion conversion,
            Reports.Reporting reporting)
            throws SQLException, InterruptedException {
        TableKey key = key(open.reading());
        Copying copying = new Copying(endpoint, column, key, states, open.locking());
        Chunks.Limits limits = Chunks.Limits.of(
                open.writing(),
                facts.type(),
                BytesColumn.maxBytes(facts.dataType()).orElse(facts.maxBytes()));
        try (Connection finding = JdbcDriver.connectForChanging(endpoint)) {
            WritingConnection.prepare(finding);
            finding.setAutoCommit(true);
            return copying.run(
                    copying.begin(state),
                    feed -> new ShadowCopy(new ShadowCopy.Surroundings(
                            work(open.reading(), open.writing(), key, conversion),
                            finding,
                            BytesColumn.value(column, facts.dataType()),
                            limits,
                            feed,
                            reporting::repeated,
                            listener::noticeIssued)),
                    conversion,
                    limits,
                    throttle,
                    reporting,
                    listener);
        }
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
            lock(locking, column);
            if (options.isCopy()) { // the new table is that of all columns
                lock(locking, TableColumn.of(column.schema(), column.table(), StateTable.NAME));
            }
        } catch (AdmissionException e) {
            if (reports.isLost()) {
                throw new ConnectionLostException(e.getMessage());
            }
            throw e;
        }
    }

    /**
     * Takes the lock that shows that a column is being changed, for the time of the connection.
     *
     * @throws AdmissionException if another connection has it
     */
    static void lock(Connection connection, TableColumn column) throws SQLException {
        String name = "'blobmark_reencode:" + HexFormat.of().formatHex(Names.digest(column.name())) + "'";
        if (!"1".equals(single(connection, "SELECT GET_LOCK(" + name + ", " + LOCK_SECONDS + ")"))) {
            throw new AdmissionException(column.name()
                    + ": another process is changing it: wait for its end, or stop it; its socket or Ctrl-C does."
                    + " Connection " + single(connection, "SELECT IS_USED_LOCK(" + name + ")")
                    + " of the server has its lock");
        }
        Sql.execute(connection, "SET SESSION wait_timeout = " + WritingConnection.WAIT_SECONDS);
    }

    private static String single(Connection connection, String sql) throws SQLException {
        return Sql.strings(connection, sql).get(0);
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
            TableKey key = key(session.connection());
            if (!keyColumns(session.connection()).equals(state.keyColumns())) {
                throw new ReencodeException(
                        column.name(),
                        "the key of the table has changed since, and the checksums are of ranges of the former one",
                        "--to " + state.codec() + " again makes new ones");
            }
            requireOurs(session, server.endpoint(), state);
            Conversion conversion =
                    Conversion.to(state.target(), state.before(), Connections.dictionaries(server.endpoint(), column));
            List<Verified> parts = new ArrayList<>();
            for (Verification part : verifications(session, state, key)) {
                parts.add(part.run(conversion));
            }
            return Verified.sum(parts).with(state.copy().flatMap(State.Copy::verdict));
        } catch (SQLException e) {
            throw refusal(e);
        }
    }

    private List<Verification> verifications(TableSession session, State state, TableKey key) {
        if (!state.isDivided()) {
            return List.of(new Verification(session, states, column, key, state.isBack()));
        }
        List<Verification> parts = new ArrayList<>();
        for (int i = 0; i < state.parts(); i++) {
            parts.add(new Verification(session, states.part(i), column, key, state.isBack())
                    .after(state.begin(i).map(key::parse)));
        }
        return parts;
    }

    /**
     * What is remembered says nothing about another table of the same name. A table that was rebuilt has another
     * number, and still has ranges of rows whose values are those that the change read.
     *
     * @throws ReencodeException if this is not the table that was changed, as far as can be seen
     */
    private void requireOurs(TableSession session, Endpoint endpoint, State state)
            throws SQLException, InterruptedException {
        Connection connection = session.connection();
        Optional<TableIdentity> now = TableIdentity.read(connection, column.schema(), column.table());
        boolean isUnfinishedCopy =
                state.copy().isPresent() && state.copy().get().verdict().isEmpty();
        Optional<TableIdentity> changed = state.copy().isEmpty()
                ? state.table().flatMap(ColumnIdentity::table)
                : state.copy().get().tables().map(State.Tables::fresh);
        boolean isKnown = now.isPresent() && now.equals(changed);
        if (isKnown || options.force() || isUnfinishedCopy) {
            return;
        }
        Optional<Boolean> isSame = Optional.empty();
        if (hasKey(connection, new ArrayList<>()) && keyColumns(connection).equals(state.keyColumns())) {
            TableKey key = key(connection);
            Conversion conversion =
                    Conversion.to(state.target(), state.before(), Connections.dictionaries(endpoint, column));
            for (Verification part : verifications(session, state, key)) {
                Optional<Boolean> found = part.isAnySame(conversion);
                if (found.equals(Optional.of(true))) {
                    return;
                }
                isSame = isSame.or(() -> found);
            }
            if (isSame.isEmpty() && (now.isEmpty() || changed.isEmpty())) {
                return; // no row was changed
            }
        }
        throw new ReencodeException(
                column.name(),
                "this is not the table that was changed, or no value in it is as it was then: this is "
                        + TableIdentity.inWords(now) + ", and " + TableIdentity.inWords(changed) + " was changed",
                "nothing was done; if somebody has exchanged the tables, exchange them again; if this is the right one"
                        + " all the same, add --force");
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
            lock(connection, column);
            State state = states.read(connection)
                    .orElseThrow(() -> new ReencodeException(
                            column.name(), "no change of it is known here", "there is nothing to forget"));
            if (state.isUnderWay()) {
                throw new ReencodeException(
                        column.name(), state.inWords(), "continue it, or take it back with --revert, before");
            }
            requireOurs(session, server.endpoint(), state);
            if (state.copy().isPresent()) {
                new Copying(server.endpoint(), column, key(connection), states, connection).finish(state, accepted);
            }
            states.remove(connection);
            ReplicaLag.forget(connection, column);
        } catch (SQLException e) {
            throw refusal(e);
        }
    }
}
