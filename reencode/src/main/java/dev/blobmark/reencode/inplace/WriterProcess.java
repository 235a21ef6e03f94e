package dev.blobmark.reencode.inplace;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.MySqlSource;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.Reencoding;
import dev.blobmark.reencode.checkpoint.Counts;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.failure.Failures;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.inplace.RemoteWriter.Event;
import dev.blobmark.reencode.inplace.RemoteWriter.Order;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.table.Connections;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.reencode.throttle.Budget;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * Changes parts of a table for a {@link Reencoding} of another process, which sends lines with the parts and with a
 * budget. Waits while no budget arrives.
 */
public final class WriterProcess {

    private final MySqlSource source;
    private final Path cache;
    private final TableColumn named;
    private final ReencodeOptions options;
    private final Consumer<String> events;
    private final BlockingQueue<Optional<Order.Part>> parts = new LinkedBlockingQueue<>();
    private volatile Optional<Budget> budget = Optional.empty();
    private volatile Optional<PartWriter> working = Optional.empty();

    /** @param events receives lines for {@link WriterHost#receive} */
    public WriterProcess(
            MySqlSource source, Path cache, TableColumn column, ReencodeOptions options, Consumer<String> events) {
        this.source = source;
        this.cache = cache;
        named = column;
        this.options = options;
        this.events = events;
    }

    /** Takes a line of {@link WriterHost#send}. Any thread may call it. */
    public void take(String line) {
        Order order = State.MAPPER.readValue(line, Order.class);
        order.budget().ifPresent(this::grant);
        order.part().ifPresent(part -> parts.add(Optional.of(part)));
    }

    private void grant(Budget granted) {
        budget = Optional.of(granted);
        working.ifPresent(writer -> writer.grant(granted));
    }

    /** Ends after the transaction. Any thread may call it. */
    public void interrupt() {
        grant(Budget.END);
        parts.add(Optional.empty());
    }

    /** Changes parts until it is interrupted, or fails. */
    public void run() {
        TableColumn column = named;
        try (Server server = source.open(cache)) {
            column = column(server.endpoint());
            work(server.endpoint(), column);
        } catch (StoppedException e) {
            failed(Event.Kind.STOPPED, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | SQLException | RuntimeException e) {
            Exception refusal = Failures.refusal(column, e);
            failed(
                    Failures.isConnectionLost(e)
                            ? Event.Kind.LOST
                            : refusal instanceof AdmissionException ? Event.Kind.REFUSED : Event.Kind.OTHER,
                    refusal);
        }
    }

    private void failed(Event.Kind kind, Exception reason) {
        event(new Event(
                Optional.empty(),
                Optional.empty(),
                Optional.of(new Event.Failed(kind, String.valueOf(reason.getMessage())))));
    }

    private void event(Event event) {
        events.accept(event.toLine());
    }

    private TableColumn column(Endpoint endpoint) throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, "")) {
            return TableFacts.column(connection, named);
        }
    }

    private void work(Endpoint endpoint, TableColumn column) throws SQLException, IOException, InterruptedException {
        State state;
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, "")) {
            state = new StateTable(column, "").read(connection).orElseThrow();
        }
        try (PartWriter writer = new LocalWriter(
                endpoint,
                column,
                state.conversion(Connections.dictionaries(endpoint, column)),
                options,
                Chunks.converters())) {
            working = Optional.of(writer);
            budget.ifPresent(writer::grant);
            event(Event.READY);
            for (Optional<Order.Part> part = parts.take(); part.isPresent(); part = parts.take()) {
                writer.write(part.get().number(), part.get().owner(), new PartWriter.Listener() {
                    @Override
                    public void committed(Counts counts) {
                        event(new Event(Optional.of(counts), Optional.empty(), Optional.empty()));
                    }

                    @Override
                    public void repeated(String reason) {
                        event(new Event(Optional.empty(), Optional.of(reason), Optional.empty()));
                    }
                });
                event(Event.READY);
            }
        } finally {
            working = Optional.empty();
        }
    }
}
