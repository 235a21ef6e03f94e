package dev.blobmark.lab.client;

import dev.blobmark.lab.client.TimeAccount.Part;
import dev.blobmark.lab.link.SharedLink;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;

/**
 * What goes over the network for a connection: over which link, its bytes since it was opened, as the network sees them: compressed by
 * the protocol, encrypted by TLS, handshake and log-in among them, without the headers of TCP; and the time that this takes.
 *
 * <p>Confined, as its connection is, to one thread at a time: counting costs an addition and two looks at the clock for each read and
 * write of the socket, and no barrier.
 */
public final class Traffic {

    /** Names a factory of counted sockets to a driver that takes the class of a {@link javax.net.SocketFactory}. */
    public static final String SOCKET_FACTORY = CountedSocket.ForMariaDb.class.getName();

    private static final ThreadLocal<Traffic> OPENING = new ThreadLocal<>();

    private final SharedLink link;
    private final TimeAccount time = new TimeAccount();
    private Traffic counter = this;
    private boolean isAnswered = true;
    private long bytesIn;
    private long bytesOut;

    /** @param link that the connection shares with others */
    public Traffic(SharedLink link) {
        this.link = link;
    }

    /** Over the machine's own network. */
    public Traffic() {
        this(SharedLink.LOOPBACK);
    }

    SharedLink link() {
        return link;
    }

    /** Where the time of what is done with the connection goes. */
    public TimeAccount time() {
        return time;
    }

    /** Received so far. */
    public long bytesIn() {
        return bytesIn;
    }

    /** Sent so far. */
    public long bytesOut() {
        return bytesOut;
    }

    /** What goes over this connection from now on counts for another one: for whom it is borrowed. */
    void countsFor(Traffic borrower) {
        counter = borrower;
    }

    /** Something is about to be received. From a request on all is waiting for the answer, which {@link #received} books. */
    void receives() {
        if (isAnswered) {
            counter.time.book(Part.CLIENT);
        }
    }

    void received(long bytes) {
        counter.time.book(isAnswered ? Part.TRANSFER : Part.WAITING);
        isAnswered = true;
        counter.bytesIn += bytes;
    }

    /** Something is about to be sent. */
    void sends() {
        counter.time.book(Part.CLIENT);
    }

    void sent(long bytes) {
        counter.time.book(Part.TRANSFER);
        isAnswered = false;
        counter.bytesOut += bytes;
    }

    void heldByLink(long nanos) {
        counter.time.heldByLink(nanos);
    }

    /** How a driver opens a connection. */
    public interface Opening {
        Connection open() throws SQLException;
    }

    /**
     * Counts a connection. A driver makes its socket by a factory of which it knows no more than the class, but does so on the thread
     * that it is called on: by this the factory knows for whom the socket is.
     */
    public Connection count(Opening opening) throws SQLException {
        OPENING.set(this);
        try {
            return opening.open();
        } finally {
            OPENING.remove();
        }
    }

    /** Of the connection that is being opened on this thread. */
    static Traffic opening() {
        return Objects.requireNonNull(OPENING.get(), "a counted socket is opened outside of a counted connection");
    }
}
