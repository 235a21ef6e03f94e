package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Channel;
import dev.blobmark.fleet.host.Frames;
import dev.blobmark.fleet.host.HostClock;
import dev.blobmark.fleet.host.HostFacts;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/** A host that has joined, over its connection. */
final class Host implements AutoCloseable {

    private static final int PINGS = 16;
    private static final int PING_MILLIS = 5_000;

    private final HostFacts facts;
    private final Channel control;
    private final AtomicInteger processes = new AtomicInteger();
    private boolean isThere = true;

    private Host(HostFacts facts, Channel control) {
        this.facts = facts;
        this.control = control;
    }

    /** Reads what the host is. */
    static Host greet(Channel control) throws IOException {
        return new Host(HostFacts.read(control.in()), control);
    }

    HostFacts facts() {
        return facts;
    }

    int processes() {
        return processes.get();
    }

    /** Whether it answers. */
    synchronized boolean isThere() {
        try {
            ping();
        } catch (IOException e) {
            isThere = false;
        }
        return isThere;
    }

    /** Compares the clocks: the best of some round trips. */
    synchronized HostClock clock() throws IOException {
        HostClock best = ping();
        for (int i = 1; i < PINGS; i++) {
            best = best.better(ping());
        }
        return best;
    }

    private HostClock ping() throws IOException {
        control.setPatience(PING_MILLIS);
        long sent = HostClock.now();
        control.out().writeByte(Frames.PING);
        control.out().flush();
        long host = control.in().readLong();
        return HostClock.of(sent, host, HostClock.now());
    }

    /** Starts a process, which connects by itself. */
    synchronized void start(Frames.Start start) throws IOException {
        start.write(control.out());
        processes.incrementAndGet();
    }

    /** To be called when a process has ended. */
    void ended() {
        processes.decrementAndGet();
    }

    /** Ends the task. */
    synchronized void end() {
        try {
            control.out().writeByte(Frames.END);
            control.out().flush();
        } catch (IOException e) {
            isThere = false;
        }
    }

    @Override
    public void close() {
        control.close();
    }
}
