package dev.blobmark.reencode.inplace;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.reencode.checkpoint.Counts;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.failure.ConnectionLostException;
import dev.blobmark.reencode.failure.HostLostException;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.throttle.Budget;
import java.io.IOException;
import java.util.Optional;

/** A writer on another host. */
public final class RemoteWriter implements PartWriter {

    private final WriterHost host;
    private volatile boolean isToEnd;

    /** A line to the process. One field is present. */
    public record Order(Optional<Part> part, Optional<Budget> budget) {

        /**
         * A part to be changed.
         *
         * @param owner mark of its state
         */
        public record Part(int number, String owner) {}

        public String toLine() {
            return State.MAPPER.writeValueAsString(this);
        }
    }

    /**
     * A line of the process. One field is present, or none after a part, and when the process is ready for the first
     * one.
     *
     * @param committed what was done in the part so far
     * @param repeated why a transaction was rolled back
     * @param failed why the work has ended before the end of the part
     */
    public record Event(Optional<Counts> committed, Optional<String> repeated, Optional<Failed> failed) {

        public static final Event READY = new Event(Optional.empty(), Optional.empty(), Optional.empty());

        enum Kind {
            /** It may work with new connections. */
            LOST,
            REFUSED,
            STOPPED,
            OTHER
        }

        record Failed(Kind kind, String message) {}

        public String toLine() {
            return State.MAPPER.writeValueAsString(this);
        }
    }

    /** Waits until the process is connected to the server. */
    public RemoteWriter(WriterHost host) throws IOException {
        this.host = host;
        try {
            await(new Listener() {
                @Override
                public void committed(Counts counts) {}

                @Override
                public void repeated(String reason) {}
            });
        } catch (IOException | RuntimeException e) {
            host.close();
            throw e;
        }
    }

    /** Passes events on until the process is ready for another part. */
    private void await(Listener listener) throws IOException {
        while (true) {
            String line = host.receive()
                    .orElseThrow(
                            () -> new HostLostException("the process on a host has ended (" + host.lastWords() + ")"));
            if (line.startsWith("{")) {
                Event event = State.MAPPER.readValue(line, Event.class);
                event.failed().ifPresent(this::fail);
                event.committed().ifPresent(listener::committed);
                event.repeated().ifPresent(listener::repeated);
                if (event.equals(Event.READY)) {
                    return;
                }
            }
        }
    }

    /** A process that stops although no budget ended it is lost, as its host is. */
    private void fail(Event.Failed failed) {
        throw switch (failed.kind()) {
            case LOST -> new ConnectionLostException(failed.message());
            case REFUSED -> new AdmissionException(failed.message());
            case STOPPED ->
                isToEnd
                        ? new StoppedException(failed.message())
                        : new HostLostException("the process on a host was ended");
            case OTHER -> new ReencodeException(failed.message());
        };
    }

    @Override
    public void grant(Budget budget) {
        isToEnd |= budget.isEnd();
        send(new Order(Optional.empty(), Optional.of(budget)));
    }

    /** What is not received has ended the process, which {@link #await} finds. */
    private void send(Order order) {
        try {
            host.send(order.toLine());
        } catch (IOException e) {
            host.kill();
        }
    }

    @Override
    public void write(int part, String owner, Listener listener) throws IOException {
        send(new Order(Optional.of(new Order.Part(part, owner)), Optional.empty()));
        await(listener);
    }

    @Override
    public void abort() {
        host.kill();
    }

    @Override
    public void close() throws IOException {
        host.close();
    }
}
