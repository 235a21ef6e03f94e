package dev.blobmark.reencode.inplace;

import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.checkpoint.ChangedTableException;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.RowImage;
import dev.blobmark.reencode.row.WritingConnection;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.table.TableInForce;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.reencode.throttle.Budget;
import dev.blobmark.reencode.throttle.Throttle;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A writer of this process, with connections of its own. */
public final class LocalWriter implements PartWriter {

    private final TableColumn column;
    private final Conversion conversion;
    private final ReencodeOptions options;
    private final int converters;
    private final Clock clock;
    private final Throttle throttle;
    private final Connection reading;
    private final Connection writing;
    private volatile Optional<Granted> granted = Optional.empty();

    private record Granted(Budget budget, long nanos) {}

    /** @param converters threads that convert values */
    public LocalWriter(
            Endpoint endpoint, TableColumn column, Conversion conversion, ReencodeOptions options, int converters)
            throws SQLException {
        this.column = column;
        this.conversion = conversion;
        this.options = options;
        this.converters = converters;
        clock = Clock.SYSTEM;
        throttle = new Throttle(options.pace().speed(), OptionalLong.empty(), clock, note -> {});
        throttle.setSignals(List.of(this::reasonToWait));
        reading = JdbcDriver.connectForLoading(endpoint, "");
        try {
            Sql.execute(reading, "SET SESSION wait_timeout = " + WritingConnection.WAIT_SECONDS);
            writing = JdbcDriver.connectForChanging(endpoint);
        } catch (SQLException | RuntimeException e) {
            reading.close();
            throw e;
        }
        try {
            WritingConnection.prepare(writing);
        } catch (SQLException | RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public void grant(Budget budget) {
        granted = Optional.of(new Granted(budget, clock.nanoTime()));
    }

    private Optional<String> reasonToWait() {
        Optional<Granted> last = granted;
        if (last.isPresent() && last.get().budget().isEnd()) {
            throw new StoppedException("stopped");
        }
        if (last.isEmpty() || clock.nanoTime() - last.get().nanos() > Budget.VALID_NANOS) {
            return Optional.of("no budget has arrived");
        }
        Budget budget = last.get().budget();
        throttle.setSpeed(budget.speed());
        throttle.setBinlogRate(budget.binlogRate());
        return budget.reasonToWait();
    }

    @Override
    public void write(int part, String owner, Listener listener) throws SQLException {
        StateTable states = new StateTable(column, owner).part(part);
        State begin = states.read(reading).orElseThrow();
        TableInForce table = new TableInForce(writing, column);
        TableKey key = TableKey.of(reading, column);
        TableFacts facts = TableFacts.read(reading, column);
        if (!facts.problems(false).isEmpty()
                || !TableFacts.columns(reading, column, key.names()).equals(begin.keyColumns())) {
            throw new ChangedTableException(
                    column, "others have altered the table, or its triggers, while it was changed");
        }
        try (InPlace work = new InPlace(
                new Work(
                        column,
                        key,
                        conversion,
                        throttle,
                        RowImage.read(writing, column, key),
                        options.pace().transaction().toNanos(),
                        converters,
                        clock),
                new InPlace.RowConnections(reading, writing, states),
                facts,
                table,
                options.keepsOriginals())) {
            State ended = work.run(begin, new InPlace.Listener() {
                @Override
                public void committed(State state) {
                    listener.committed(state.counts());
                }

                @Override
                public void repeated(String reason) {
                    listener.repeated(reason);
                }
            });
            listener.committed(ended.counts());
        }
    }

    @Override
    public void abort() {
        try {
            reading.abort(Runnable::run);
            writing.abort(Runnable::run);
        } catch (SQLException e) {
            // it is closed already
        }
    }

    @Override
    public void close() throws SQLException {
        try (reading) {
            writing.close();
        }
    }
}
