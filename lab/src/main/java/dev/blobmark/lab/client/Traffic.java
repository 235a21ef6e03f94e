package dev.blobmark.lab.client;

import dev.blobmark.lab.client.TimeAccount.TimedPart;
import dev.blobmark.lab.link.SharedLink;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;

/**
 * The network traffic of a connection: its link, the bytes since it was opened, and the time that they take. Bytes are
 * counted as sent: after compression by the protocol and encryption by TLS, including handshake and login, without TCP
 * headers.
 *
 * <p>Confined, like its connection, to one thread at a time. Counting costs an addition and two readings of the clock
 * per read or write of the socket, and no memory barrier.
 */
public final class Traffic {

    /** The name of a {@link javax.net.SocketFactory} of counted sockets, for drivers that expect a class name. */
    public static final String SOCKET_FACTORY = CountedSocket.ForMariaDb.class.getName();

    private static final ThreadLocal<Traffic> OPENING = new ThreadLocal<>();

    private final SharedLink link;
    private final TimeAccount time = new TimeAccount();
    private Traffic counter = this;
    private boolean isAnswered = true;
    private long bytesIn;
    private long bytesOut;

    /** @param link shared with other connections */
    public Traffic(SharedLink link) {
        this.link = link;
    }

    /** Traffic without an emulated link. */
    public Traffic() {
        this(SharedLink.LOOPBACK);
    }

    SharedLink link() {
        return link;
    }

    /** The time account of operations on the connection. */
    public TimeAccount time() {
        return time;
    }

    /** Bytes received so far. */
    public long bytesIn() {
        return bytesIn;
    }

    /** Bytes sent so far. */
    public long bytesOut() {
        return bytesOut;
    }

    /** Counts this connection's further bytes and time for a borrower. */
    void countsFor(Traffic borrower) {
        counter = borrower;
    }

    /** Called before a read. The time from a request to its answer is waiting, which {@link #afterRead} charges. */
    void beforeRead() {
        if (isAnswered) {
            counter.time.charge(TimedPart.CLIENT);
        }
    }

    void afterRead(long bytes) {
        counter.time.charge(isAnswered ? TimedPart.TRANSFER : TimedPart.WAITING);
        isAnswered = true;
        counter.bytesIn += bytes;
    }

    void beforeWrite() {
        counter.time.charge(TimedPart.CLIENT);
    }

    void afterWrite(long bytes) {
        counter.time.charge(TimedPart.TRANSFER);
        isAnswered = false;
        counter.bytesOut += bytes;
    }

    void heldByLink(long nanos) {
        counter.time.heldByLink(nanos);
    }

    /** Opens a connection with a driver. */
    public interface DriverOpening {
        Connection open() throws SQLException;
    }

    /**
     * Opens a connection whose traffic is counted here. A driver only takes the class of a socket factory. It creates
     * the socket on the calling thread, so the factory finds this object in a thread-local variable.
     */
    public Connection count(DriverOpening opening) throws SQLException {
        OPENING.set(this);
        try {
            return opening.open();
        } finally {
            OPENING.remove();
        }
    }

    /** The traffic of the connection that this thread is opening. */
    static Traffic opening() {
        return Objects.requireNonNull(OPENING.get(), "a counted socket can only be opened within Traffic.count()");
    }
}
