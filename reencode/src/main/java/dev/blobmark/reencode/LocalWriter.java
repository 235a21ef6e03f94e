package dev.blobmark.reencode;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.table.TableKey;
import dev.blobmark.lab.engine.Clock;
import dev.blobmark.lab.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A writer of this process, with connections of its own. */
final class LocalWriter implements PartWriter {

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
    LocalWriter(Endpoint endpoint, TableColumn column, Conversion conversion, ReencodeOptions options, int converters)
            throws SQLException {
        this.column = column;
        this.conversion = conversion;
        this.options = options;
        this.converters = converters;
        clock = Clock.SYSTEM;
        throttle = new Throttle(options.speed(), OptionalLong.empty(), clock, note -> {});
        throttle.setSignals(List.of(this::reasonToWait));
        reading = Driver.connectForLoading(endpoint, "");
        try {
            Sql.execute(reading, "SET SESSION wait_timeout = " + Reencoding.WAIT_SECONDS);
            writing = Driver.connectForChanging(endpoint);
        } catch (SQLException | RuntimeException e) {
            reading.close();
            throw e;
        }
        try {
            Reencoding.prepare(writing);
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
        try (InPlace work = new InPlace(new InPlace.Surroundings(
                column,
                key,
                reading,
                writing,
                facts,
                conversion,
                states,
                throttle,
                RowImage.read(writing, column, key),
                options.transaction().toNanos(),
                converters,
                options.keepsOriginals(),
                table))) {
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
