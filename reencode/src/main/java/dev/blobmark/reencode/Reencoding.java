package dev.blobmark.reencode;

import dev.blobmark.lab.admission.AdmissionException;
import dev.blobmark.lab.admission.ServerFailure;
import dev.blobmark.lab.admission.TableSession;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.DatasetException;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.table.SampleLimits;
import dev.blobmark.lab.dataset.table.TableKey;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.directory.Scratch;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.reencode.State.Phase;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.FrameException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/**
 * Changes how the values of a column are stored while others read and write them, or takes that back. All it knows is
 * in tables next to the data, so that it may be killed at any time: the same call continues.
 */
public final class Reencoding {

    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long a lost server is waited for. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int LOCK_SECONDS = 5;
    private static final int SAMPLED_VALUES = 1_000;
    private static final int SAMPLED_BYTES = 32 << 20;
    private static final int STATEMENT_MILLIS = 1_000;
    private static final int MAX_CONVERTERS = 4;
    private static final long SEED = 20_261_126;

    private final Servers.Source source;
    private final Path cache;
    private final TableColumn column;
    private final ReencodeOptions options;
    private final String program;
    private final ReencodeListener listener;
    private final StateTable states;
    private volatile Optional<Control> control = Optional.empty();
    private volatile boolean isStopped;
    private volatile Optional<Progress> last = Optional.empty();

    /**
     * @param source of the server that has the table
     * @param program version of Blobmark
     */
    public Reencoding(
            Servers.Source source,
            Path cache,
            TableColumn column,
            ReencodeOptions options,
            String program,
            ReencodeListener listener) {
        this.source = source;
        this.cache = cache;
        this.column = column;
        this.options = options;
        this.program = program;
        this.listener = listener;
        states = new StateTable(column);
    }

    /** Ends the work soon; what was committed stays. Any thread may call it. */
    public void interrupt() {
        isStopped = true;
        control.ifPresent(Control::stop);
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
            List<String> problems = new ArrayList<>(facts.problems());
            List<String> missing = Preflight.missing(connection, column);
            problems.addAll(missing);
            Optional<State> state = missing.isEmpty() ? states.read(connection) : Optional.empty();
            state.flatMap(under -> conflict(under, target)).ifPresent(problems::add);
            Before was = state.map(State::before).orElse(before);
            List<String> remarks = new ArrayList<>();
            Sampled sampled = Sampled.NONE;
            try {
                key(connection);
                TableColumn.Sample sample = session.read(
                        column,
                        SEED,
                        new SampleLimits(SAMPLED_VALUES, SAMPLED_BYTES, STATEMENT_MILLIS),
                        scratch.path().resolve("values"));
                sampled = Sampled.of(
                        sample,
                        Files.readAllBytes(scratch.path().resolve("values")),
                        conversion(server.endpoint(), was, target, false));
            } catch (DatasetException e) {
                problems.add(e.getMessage());
            } catch (FrameException e) {
                problems.add("a value of the sample cannot be read: " + e.getMessage() + Conversion.remedy(e));
            }
            problems.addAll(Preflight.problems(connection, server.endpoint(), column, options, target));
            remarks.addAll(Preflight.remarks(connection, options));
            double values = sampled.valueShare() * sampled.rows(facts.rows());
            RowImage image = RowImage.read(connection, column, sampled.values() > 0);
            return new Preview(
                    column.name(),
                    was,
                    target.codec(),
                    facts.type(),
                    sampled.rows(facts.rows()),
                    facts.dataBytes(),
                    sampled.values(),
                    sampled.meanBytes() * values,
                    sampled.meanBytesAfter() * values,
                    sampled.changed() * sampled.valueShare(),
                    keepsOriginals(state) ? sampled.originals() : 0,
                    image.kind(),
                    sampled.changed()
                            * values
                            * image.bytes(Math.round(sampled.meanBytes()), Math.round(sampled.meanBytesAfter())),
                    Dependents.read(connection, column),
                    Preflight.readers(connection, server.endpoint(), column),
                    problems,
                    remarks,
                    state.map(Reencoding::inWords));
        }
    }

    /** Whether what a sample shows as encoded was encoded by others than the change itself. */
    private boolean keepsOriginals(Optional<State> state) {
        return options.keepsOriginals()
                && state.filter(known -> known.phase() != Phase.REVERTED).isEmpty();
    }

    /** Why a change cannot begin while another one is under way, with the remedy. */
    private static Optional<String> conflict(State state, Target target) {
        if (!state.isUnderWay() || !state.isBack() && state.target().equals(target)) {
            return Optional.empty();
        }
        return Optional.of(inWords(state)
                + (state.isBack()
                        ? "; continue that with --revert"
                        : "; continue that with --to " + state.codec()
                                + " and the same policy, or take it back with --revert"));
    }

    private static String inWords(State state) {
        return switch (state.phase()) {
            case CHANGING ->
                "a change to " + state.codec() + " is under way: "
                        + state.counts().rows() + " rows are done";
            case CHANGED -> "it was changed to " + state.codec() + " before";
            case REVERTING ->
                "a change to " + state.codec() + " is being taken back: "
                        + state.counts().rows() + " rows are done";
            case REVERTED -> "a change to " + state.codec() + " was taken back";
        };
    }

    private TableSession open(Endpoint endpoint) throws SQLException {
        return TableSession.open(endpoint, options.limits(), this::check, listener::noticeIssued);
    }

    private TableKey key(Connection connection) throws SQLException {
        return TableKey.of(connection, column);
    }

    private Conversion conversion(Endpoint endpoint, Before before, Target target, boolean isBack) {
        DictionaryTable dictionaries = DictionaryTable.in(new Connections(endpoint), column.schema());
        return isBack ? Conversion.back(target, before, dictionaries) : Conversion.to(target, before, dictionaries);
    }

    /**
     * Changes all values, or continues to.
     *
     * @param before how values are stored; ignored if a change was begun already
     * @throws AdmissionException if it may not begin, or the server refuses to go on
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

    /** A server that is lost is waited for. */
    private Outcome persistently(Optional<Before> before, Optional<Target> target)
            throws SQLException, IOException, InterruptedException {
        long begin = System.nanoTime();
        long lostNanos = 0;
        while (true) {
            try (Server server = source.open(cache)) {
                return run(server.endpoint(), before, target, begin);
            } catch (SQLException | ServerException e) {
                boolean isUnknown = last.isEmpty(); // the first connection has no second attempt
                if (isUnknown || !isConnectionLost(e)) {
                    throw refusal(e);
                }
                long now = System.nanoTime();
                lostNanos = lostNanos == 0 || lastProgressAfter(lostNanos) ? now : lostNanos;
                if (isStopped || now - lostNanos > PATIENCE_NANOS) {
                    throw e;
                }
                listener.noticeIssued("the server was lost (" + e.getMessage() + "); trying again");
                TimeUnit.SECONDS.sleep(1);
            }
        }
    }

    private volatile long progressNanos;

    private boolean lastProgressAfter(long nanos) {
        return progressNanos - nanos > 0;
    }

    private static boolean isConnectionLost(Exception e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof ServerException
                    || cause instanceof SQLException sql
                            && (String.valueOf(sql.getSQLState()).startsWith("08") || sql.getErrorCode() == 1053)) {
                return true;
            }
        }
        return false;
    }

    /** A full disk, a server that became read-only, and missing privileges have their own words and exit code. */
    private Exception refusalOf(Exception e) {
        if (e instanceof ServerException) {
            return e; // it could not be connected to, or refused the login
        }
        String continues = "; when that is repaired, the same command continues";
        return ServerFailure.reason(e)
                .<Exception>map(reason -> new AdmissionException(column.name() + ": " + reason + continues, e))
                .orElse(e);
    }

    private RuntimeException refusal(Exception e) throws SQLException {
        Exception refusal = refusalOf(e);
        if (refusal instanceof SQLException sql) {
            throw sql;
        }
        throw (RuntimeException) refusal;
    }

    private Outcome run(Endpoint endpoint, Optional<Before> before, Optional<Target> target, long begin)
            throws SQLException, IOException, InterruptedException {
        try (TableSession session = open(endpoint);
                Connection locking = Driver.connectForLoading(endpoint, "");
                Connection writing = Driver.connectForChanging(endpoint)) {
            lock(locking, column);
            State state = begin(session.connection(), locking, endpoint, before, target);
            if (!state.isUnderWay()) {
                return new Outcome(true, progress(state, 0, begin, Optional.empty()));
            }
            prepare(writing);
            TableFacts facts = TableFacts.read(session.connection(), column);
            RowImage image = RowImage.read(writing, column, true);
            Throttle throttle = new Throttle(options.speed(), options.binlogRate(), listener::noticeIssued);
            try (Control commands = new Control(options.pauseFile(), options.socket(), throttle, this::status);
                    Guards guards = Guards.start(endpoint, column, key(session.connection()), options, cache, locking);
                    InPlace work = new InPlace(new InPlace.Surroundings(
                            column,
                            key(session.connection()),
                            session.connection(),
                            writing,
                            facts.updatedColumns(),
                            conversion(endpoint, state.before(), state.target(), state.isBack()),
                            states,
                            throttle,
                            image,
                            options.transaction().toNanos(),
                            Math.max(
                                    1,
                                    Math.min(
                                            MAX_CONVERTERS, Runtime.getRuntime().availableProcessors() - 1)),
                            options.keepsOriginals()))) {
                control = Optional.of(commands);
                check();
                throttle.add(commands);
                throttle.add(session::reasonToWait);
                guards.signals().forEach(throttle::add);
                Reporting reporting = new Reporting(
                        facts.rows(), begin, throttle, state.counts().rows());
                listener.progressed(reporting.of(state));
                State ended = work.run(state, reporting);
                Progress done = reporting.of(ended);
                listener.progressed(done);
                return new Outcome(true, done);
            } catch (StoppedException e) {
                return new Outcome(false, last.orElseGet(() -> progress(state, 0, begin, Optional.empty())));
            }
        }
    }

    private String status() {
        return State.MAPPER.writeValueAsString(last);
    }

    private Progress progress(State state, long tableRows, long begin, Optional<Throttle> throttle) {
        State.Counts counts = state.counts();
        double seconds = (System.nanoTime() - begin) / 1e9;
        Progress now = new Progress(
                state.phase().name().toLowerCase(Locale.ROOT),
                counts.rows(),
                Math.max(tableRows, counts.rows()),
                counts.changed(),
                counts.overtaken(),
                counts.bytesBefore(),
                counts.bytesAfter(),
                counts.binlogBytes(),
                seconds,
                throttle.map(with -> with.pausedNanos() / 1e9).orElse(0.0),
                OptionalDouble.empty(),
                throttle.flatMap(Throttle::waiting));
        last = Optional.of(now);
        return now;
    }

    /** Reports now and then, with the time that is left. */
    private final class Reporting implements InPlace.Listener {
        private final long tableRows;
        private final long begin;
        private final long beginRows;
        private final Throttle throttle;
        private long reportedNanos = System.nanoTime();
        private boolean isRepeating;
        private final long startNanos = System.nanoTime();

        Reporting(long tableRows, long begin, Throttle throttle, long beginRows) {
            this.tableRows = tableRows;
            this.begin = begin;
            this.throttle = throttle;
            this.beginRows = beginRows;
        }

        Progress of(State state) {
            Progress now = progress(state, tableRows, begin, Optional.of(throttle));
            double seconds = (System.nanoTime() - startNanos) / 1e9;
            long done = now.rows() - beginRows;
            if (done > 0 && state.isUnderWay()) {
                now = new Progress(
                        now.step(),
                        now.rows(),
                        now.tableRows(),
                        now.changed(),
                        now.overtaken(),
                        now.bytesBefore(),
                        now.bytesAfter(),
                        now.binlogBytes(),
                        now.seconds(),
                        now.pausedSeconds(),
                        OptionalDouble.of(seconds / done * (now.tableRows() - now.rows())),
                        now.waiting());
                last = Optional.of(now);
            }
            return now;
        }

        /** Says so once for each wait. */
        @Override
        public void repeated(String reason) {
            if (!isRepeating) {
                listener.noticeIssued("a transaction is made again: " + reason);
            }
            isRepeating = true;
        }

        @Override
        public void committed(State state) {
            isRepeating = false;
            progressNanos = System.nanoTime();
            Progress now = of(state);
            if (progressNanos - reportedNanos >= REPORT_NANOS) {
                reportedNanos = progressNanos;
                listener.progressed(now);
            }
        }
    }

    /** Takes the lock that shows that a column is being changed, for the time of the connection. */
    static void lock(Connection connection, TableColumn column) throws SQLException {
        String name = "blobmark_reencode:" + HexFormat.of().formatHex(Names.digest(column.name()));
        if (!"1"
                .equals(Sql.strings(connection, "SELECT GET_LOCK('" + name + "', " + LOCK_SECONDS + ")")
                        .get(0))) {
            throw new AdmissionException(column.name()
                    + ": another process is changing it: wait for its end, or stop it; its socket or Ctrl-C does");
        }
        Sql.execute(connection, "SET SESSION wait_timeout = 28800");
    }

    /** Decides what is to be done, and takes it over. */
    private State begin(
            Connection reading, Connection owning, Endpoint endpoint, Optional<Before> stored, Optional<Target> target)
            throws SQLException {
        List<String> problems = new ArrayList<>(TableFacts.read(reading, column).problems());
        List<String> missing = Preflight.missing(reading, column);
        problems.addAll(missing);
        if (!missing.isEmpty()) {
            throw refused(problems);
        }
        Optional<State> before = states.read(reading);
        State next;
        if (target.isEmpty()) {
            State changed = before.orElseThrow(() -> new ReencodeException(
                    column.name(), "no change of it is known here", "to decode its values, change them --to none"));
            if (changed.phase() == Phase.REVERTED) {
                return changed;
            }
            next = changed.phase() == Phase.REVERTING ? changed : changed.revert(program, Instant.now());
        } else {
            before.flatMap(state -> conflict(state, target.get())).ifPresent(reason -> {
                throw new ReencodeException(column.name(), reason);
            });
            next = before.filter(State::isUnderWay)
                    .orElseGet(() -> State.begin(
                            program,
                            before.filter(state -> state.phase() == Phase.CHANGED)
                                    .map(State::before)
                                    .orElse(stored.orElseThrow()),
                            target.get(),
                            before.isEmpty() || before.get().phase() == Phase.REVERTED,
                            Instant.now()));
        }
        problems.addAll(Preflight.problems(reading, endpoint, column, options, target.orElse(next.target())));
        if (!problems.isEmpty()) {
            throw refused(problems);
        }
        key(reading);
        states.create(owning);
        boolean isNew = before.isEmpty() || !before.get().begun().equals(next.begun());
        if (isNew && !next.isBack()) { // the way back needs those of the change
            states.clear(owning, next.isFirst());
        }
        states.own(owning, next);
        return next;
    }

    private AdmissionException refused(List<String> problems) {
        return new AdmissionException(column.name() + " cannot be changed:\n  " + String.join("\n  ", problems));
    }

    /** Prepares a connection that writes rows. */
    static void prepare(Connection writing) throws SQLException {
        // what does not fit into the column is an error; others wait for rows at most as long as a transaction takes
        Sql.execute(
                writing,
                "SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',STRICT_ALL_TABLES'), innodb_lock_wait_timeout = 2,"
                        + " lock_wait_timeout = 10, wait_timeout = 28800");
        if (!"STATEMENT".equalsIgnoreCase(Driver.variable(writing, "binlog_format"))) {
            Sql.execute(writing, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
        }
        writing.setAutoCommit(false);
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
            return new Verification(session, states, column, key(session.connection()))
                    .run(conversion(server.endpoint(), state.before(), state.target(), false));
        } catch (SQLException e) {
            throw refusal(e);
        }
    }

    /** Forgets a change: what {@link #revert} and {@link #verify} need is deleted. Values stay as they are. */
    public void finish() throws SQLException, IOException {
        try (Server server = source.open(cache);
                Connection connection = Driver.connectForLoading(server.endpoint(), "")) {
            lock(connection, column);
            State state = states.read(connection)
                    .orElseThrow(() -> new ReencodeException(
                            column.name(), "no change of it is known here", "there is nothing to forget"));
            if (state.isUnderWay()) {
                throw new ReencodeException(
                        column.name(), inWords(state), "continue it, or take it back with --revert, before");
            }
            states.remove(connection);
        } catch (SQLException e) {
            throw refusal(e);
        }
    }
}
