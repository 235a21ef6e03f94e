package dev.blobmark.cli.shards;

import dev.blobmark.lab.fork.Launch;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.table.DatasetException;
import dev.blobmark.reencode.failure.ReencodeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Processes that each work on one of several servers, several at once, on this machine or on the hosts of a cluster.
 * One that fails keeps no other from ending.
 */
public final class Shards {

    private static final int POLL_MILLIS = 500;

    private final List<Shard> shards;
    private final Launch launch;
    private final int atOnce;
    private final Duration patience;
    private final Optional<Path> pauseFile;
    private final Consumer<String> notices;
    private final AtomicBoolean isPauseAnnounced = new AtomicBoolean();
    private volatile boolean isStopped;

    /**
     * @param number of servers
     * @param atOnce processes at a time
     * @param patience how long a process may be silent
     * @param pauseFile all wait while it exists
     * @param notices receives lines for the user
     */
    public Shards(
            int number,
            Launch launch,
            int atOnce,
            Duration patience,
            Optional<Path> pauseFile,
            Consumer<String> notices) {
        shards = IntStream.range(0, number).mapToObj(each -> new Shard()).toList();
        this.launch = launch;
        this.atOnce = atOnce;
        this.patience = patience;
        this.pauseFile = pauseFile;
        this.notices = notices;
    }

    /** What is known without the process that says that it is done. */
    public interface Ledger {

        /** Why the work on a server is not done; empty if it is. */
        Optional<String> notDone(int number) throws SQLException, IOException, InterruptedException;
    }

    /** Receives what the process of a server says. */
    public interface ShardListener {
        void received(int number, ShardEvent event);
    }

    /** Lets all processes end after their transactions. Any thread may call it. */
    public void stop() {
        isStopped = true;
        shards.forEach(shard -> shard.command("stop"));
    }

    /** Does the work on all servers; how it ended on each. */
    public List<ShardEnd> run(IntFunction<ShardOrder> orders, ShardListener listener, Ledger ledger)
            throws IOException, InterruptedException {
        ExecutorService workers = Executors.newFixedThreadPool(atOnce, Shards::thread);
        Optional<Thread> pausing = pauseFile.map(file -> thread(() -> watch(file)));
        pausing.ifPresent(Thread::start);
        try {
            List<Future<ShardEnd>> running = new ArrayList<>();
            for (int i = 0; i < shards.size(); i++) {
                int number = i;
                running.add(workers.submit(() -> run(number, orders, listener, ledger)));
            }
            List<ShardEnd> ended = new ArrayList<>();
            for (Future<ShardEnd> each : running) {
                try {
                    ended.add(each.get());
                } catch (ExecutionException e) {
                    ended.add(new ShardEnd(
                            ShardEnd.ERROR, String.valueOf(e.getCause().getMessage())));
                }
            }
            return ended;
        } finally {
            pausing.ifPresent(Thread::interrupt);
            workers.shutdownNow();
        }
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "shard");
        thread.setDaemon(true);
        return thread;
    }

    private ShardEnd run(int number, IntFunction<ShardOrder> orders, ShardListener listener, Ledger ledger)
            throws IOException, InterruptedException {
        awaitPermission();
        if (isStopped) {
            return new ShardEnd(ShardEnd.INTERRUPTED, "it was not begun");
        }
        ShardEnd ended = shards.get(number)
                .run(launch, orders.apply(number), patience, event -> listener.received(number, event));
        return ended.isDone() ? checked(number, ended, ledger) : ended;
    }

    /** A process may be on a host that says what is not true. */
    private static ShardEnd checked(int number, ShardEnd ended, Ledger ledger) throws InterruptedException {
        try {
            return ledger.notDone(number)
                    .map(open -> new ShardEnd(ShardEnd.ERROR, open))
                    .orElse(ended);
        } catch (SQLException | IOException | ServerException | DatasetException | ReencodeException e) {
            return new ShardEnd(
                    ShardEnd.ERROR,
                    "its process says that it is done, and this machine cannot check that: " + e.getMessage());
        }
    }

    /** A process that has ended before a pause was passed on to it would not know of it. */
    private void awaitPermission() throws InterruptedException {
        while (!isStopped && pauseFile.filter(Files::exists).isPresent()) {
            if (!isPauseAnnounced.getAndSet(true)) {
                notices.accept("paused: the file " + pauseFile.get() + " exists");
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    /** Passes a pause on to all processes, also to those that begin meanwhile. */
    private void watch(Path file) {
        try {
            boolean wasThere = false;
            while (true) {
                boolean isThere = Files.exists(file);
                if (isThere || wasThere) {
                    String command = isThere ? "pause" : "resume";
                    shards.forEach(shard -> shard.command(command));
                }
                wasThere = isThere;
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
