package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Channel;
import dev.blobmark.fleet.host.HostClock;
import dev.blobmark.fleet.host.HostFacts;
import dev.blobmark.fleet.host.Message;
import dev.blobmark.fleet.host.ViolationException;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A host that has joined, over its connection. A thread of its own receives what it sends. Each request has a number;
 * an answer that comes too late is not taken for that of a later request.
 */
final class HostConnection implements AutoCloseable {

    private static final int PINGS = 16;
    private static final int PING_MILLIS = 5_000;
    private static final int HELLO_MILLIS = 10_000;

    private volatile int number;
    private final String key;
    private final HostFacts facts;
    private final Channel control;
    private final AtomicInteger processes = new AtomicInteger();

    /** Answers that are missing, by the numbers of their requests. */
    private final Map<Long, CompletableFuture<HeardTime>> missing = new HashMap<>();

    /** The time that a host shows, and {@link System#nanoTime} when it arrived. */
    private record HeardTime(long hostTime, long arrivedNanos) {}

    /** A question for the time; what was sent is by the clock and by {@link System#nanoTime}. */
    private record TimeQuestion(long sentTime, long sentNanos, CompletableFuture<HeardTime> answer) {}

    private long requests;
    private Optional<String> reason = Optional.empty();

    private HostConnection(String key, HostFacts facts, Channel control) {
        this.key = key;
        this.facts = facts;
        this.control = control;
        Thread receiving = new Thread(this::receive, "fleet-host");
        receiving.setDaemon(true);
        receiving.start();
    }

    /**
     * Reads what the host is.
     *
     * @param key by which it was admitted
     */
    static HostConnection greet(String key, Channel control) throws IOException {
        control.setPatience(HELLO_MILLIS);
        if (!(control.receive(Message.HostAnswer.READER) instanceof Message.Hello hello)) {
            throw new ViolationException("an answer before it has said what it is");
        }
        control.setPatience(0);
        return new HostConnection(key, hello.facts(), control);
    }

    /** @param now of the host in the fleet, from 1 */
    void number(int now) {
        number = now;
    }

    /** Without its name, which results do not have. */
    String inWords() {
        return "host " + number;
    }

    String key() {
        return key;
    }

    HostFacts facts() {
        return facts;
    }

    int processes() {
        return processes.get();
    }

    private void receive() {
        try {
            while (true) {
                if (!(control.receive(Message.HostAnswer.READER) instanceof Message.Pong pong)) {
                    throw new ViolationException("a second greeting");
                }
                long arrived = System.nanoTime();
                CompletableFuture<HeardTime> waiting;
                synchronized (this) {
                    waiting = missing.remove(pong.number());
                }
                if (waiting == null) {
                    throw new ViolationException("an answer to a question that was not asked");
                }
                waiting.complete(new HeardTime(pong.time(), arrived));
            }
        } catch (ViolationException e) {
            leave("it sent " + e.getMessage());
        } catch (EOFException e) {
            leave("its task has ended, or its connection was closed");
        } catch (IOException e) {
            leave("its connection was lost: " + e.getMessage());
        }
    }

    /** Closes the connection. The first reason counts. */
    void leave(String why) {
        List<CompletableFuture<HeardTime>> waiting;
        synchronized (this) {
            if (reason.isEmpty()) {
                reason = Optional.of(HostTexts.shown(why));
            }
            waiting = List.copyOf(missing.values());
            missing.clear();
        }
        control.close();
        waiting.forEach(each -> each.completeExceptionally(new IOException(why)));
    }

    /** Why it has left; empty if it is there. */
    synchronized Optional<String> reason() {
        return reason;
    }

    /**
     * Those that do not answer, which are closed. All are asked at once.
     *
     * @param hosts may have left before
     */
    static List<HostConnection> silent(List<HostConnection> hosts) {
        Map<HostConnection, TimeQuestion> asked = new LinkedHashMap<>();
        List<HostConnection> silent = new ArrayList<>();
        for (HostConnection host : hosts) {
            try {
                asked.put(host, host.ask());
            } catch (IOException e) {
                host.leave(e.getMessage());
                silent.add(host);
            }
        }
        asked.forEach((host, question) -> {
            try {
                host.answer(question);
            } catch (IOException e) {
                host.leave(e.getMessage());
                silent.add(host);
            }
        });
        return silent;
    }

    /** Compares the clocks: the best of some round trips. */
    HostClock clock() throws IOException {
        HostClock best = answer(ask());
        for (int i = 1; i < PINGS; i++) {
            best = best.better(answer(ask()));
        }
        return best;
    }

    private TimeQuestion ask() throws IOException {
        CompletableFuture<HeardTime> answer = new CompletableFuture<>();
        long request;
        synchronized (this) {
            requireThere();
            request = ++requests;
            missing.put(request, answer);
        }
        TimeQuestion question = new TimeQuestion(HostClock.now(), System.nanoTime(), answer);
        control.send(new Message.Ping(request));
        return question;
    }

    /** The round trip does not depend on the clock of this machine, which may be corrected meanwhile. */
    private HostClock answer(TimeQuestion question) throws IOException {
        try {
            HeardTime heard = question.answer().get(PING_MILLIS, TimeUnit.MILLISECONDS);
            long roundTrip = heard.arrivedNanos() - question.sentNanos();
            return HostClock.of(question.sentTime(), heard.hostTime(), question.sentTime() + roundTrip);
        } catch (TimeoutException e) { // its answer may still come, and is dropped then
            throw new IOException("it has not answered within " + PING_MILLIS / 1_000 + " s", e);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a host was asked", e);
        } catch (IllegalArgumentException e) {
            leave(e.getMessage());
            throw new IOException(e.getMessage(), e);
        }
    }

    private void requireThere() throws IOException {
        if (reason.isPresent()) {
            throw new IOException(reason.get());
        }
    }

    /** Starts a process, which connects by itself. */
    void start(Message.StartProcess start) throws IOException {
        control.send(start);
        processes.incrementAndGet();
    }

    /** To be called when a process has ended. */
    void ended() {
        processes.decrementAndGet();
    }

    /** Ends the task. */
    void end() {
        try {
            control.send(new Message.EndTask());
        } catch (IOException e) {
            leave("its connection was lost: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        leave("it is not needed any more");
    }
}
