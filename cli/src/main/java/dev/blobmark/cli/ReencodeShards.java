package dev.blobmark.cli;

import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.run.RunJson;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.table.DatasetException;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.verify.Verified;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * The same change on several servers: a process for each, several at once, on this machine or on the hosts of a
 * cluster. What was done is in tables of each server, so that the same command continues on all of them, from anywhere.
 */
final class ReencodeShards {

    private static final int POLL_MILLIS = 500;
    private static final int MOST_SHOWN = 20;

    private final List<Shard> shards;
    private final Launch launch;
    private final int atOnce;
    private final Work work;
    private final ReencodeOutput output;
    private final Map<Shard, Progress> last = new ConcurrentHashMap<>();
    private final Map<Shard, Long> expectedRows = new ConcurrentHashMap<>();
    private final long beginNanos = System.nanoTime();
    private final AtomicBoolean isPauseAnnounced = new AtomicBoolean();
    private volatile boolean isStopped;

    /**
     * What each process does.
     *
     * @param arguments of server number i, without what asks and without the kind of output
     * @param pauseFile all wait while it exists
     * @param isComparing whether each must have a result of {@code --verify}
     * @param ledger what the servers say
     * @param patience how long a process may be silent
     */
    record Work(
            List<List<String>> arguments,
            Optional<String> password,
            ConnectionOptions.ForProcess connection,
            Optional<Path> pauseFile,
            boolean isComparing,
            Ledger ledger,
            Duration patience) {

        ShardMain.Order order(int number, List<String> more) {
            List<String> all = new ArrayList<>(arguments.get(number));
            all.addAll(more);
            all.addAll(List.of("--format", "json"));
            return new ShardMain.Order(all, password, connection, false);
        }
    }

    /** What is known without the process that says that it is done. */
    interface Ledger {

        /** Why the work on a server is not done; empty if it is. */
        Optional<String> notDone(int number) throws SQLException, IOException, InterruptedException;
    }

    /** @param atOnce processes at a time */
    ReencodeShards(List<String> servers, Launch launch, int atOnce, Work work, ReencodeOutput output) {
        shards = servers.stream().map(Shard::new).toList();
        this.launch = launch;
        this.atOnce = atOnce;
        this.work = work;
        this.output = output;
    }

    /** Lets all processes end after their transactions. Any thread may call it. */
    void stop() {
        isStopped = true;
        shards.forEach(shard -> shard.command("stop"));
    }

    /**
     * Looks at all tables, and writes nothing.
     *
     * @return that of the first process that failed
     */
    ExitCode preview() throws IOException, InterruptedException {
        Map<Shard, ShardEvent.Looked> previews = new ConcurrentHashMap<>();
        List<Shard.Ended> ended = all(
                List.of("--dry-run"),
                (shard, event) -> {
                    if (event.content() instanceof ShardEvent.Looked preview) {
                        previews.put(shard, preview);
                        expectedRows.put(shard, preview.rows());
                        print(shard, event);
                    }
                },
                number -> previews.containsKey(shards.get(number))
                        ? Optional.empty()
                        : Optional.of("its process has ended without a preview"));
        if (!output.isJson()) {
            long rows = expectedRows.values().stream().mapToLong(n -> n).sum();
            output.out()
                    .printf(
                            Locale.ROOT,
                            "%d servers, about %,d rows; values take %s now, about %s then%n",
                            shards.size(),
                            rows,
                            ReencodeOutput.bytes(sum(previews, ShardEvent.Looked::bytes)),
                            ReencodeOutput.bytes(sum(previews, ShardEvent.Looked::bytesAfter)));
        }
        Map<String, String> refused = new LinkedHashMap<>();
        for (int i = 0; i < shards.size(); i++) {
            ShardEvent.Looked preview = previews.get(shards.get(i));
            if (preview != null && !preview.problems().isEmpty()) {
                refused.put(shards.get(i).label(), String.join("; ", preview.problems()));
            } else if (!ended.get(i).isDone()) {
                refused.put(shards.get(i).label(), ended.get(i).reason());
            }
        }
        if (!output.isJson() && !refused.isEmpty()) {
            list("It cannot begin on %d of %d servers:", refused);
        }
        return worst(ended);
    }

    private static long sum(Map<Shard, ShardEvent.Looked> previews, ToDoubleFunction<ShardEvent.Looked> figure) {
        return Math.round(previews.values().stream().mapToDouble(figure).sum());
    }

    private void list(String head, Map<String, String> reasons) {
        output.out().printf(head + "%n", reasons.size(), shards.size());
        reasons.entrySet().stream()
                .limit(MOST_SHOWN)
                .forEach(one -> output.out().printf("  %s: %s%n", one.getKey(), one.getValue()));
        if (reasons.size() > MOST_SHOWN) {
            output.out().printf("  and %d more%n", reasons.size() - MOST_SHOWN);
        }
        output.out().flush();
    }

    /** Does the work on all servers. One that fails keeps no other from ending. */
    ExitCode run() throws IOException, InterruptedException {
        Map<Shard, Verified> verified = new ConcurrentHashMap<>();
        List<Shard.Ended> ended = all(
                List.of("--yes"),
                (shard, event) -> {
                    if (event.content() instanceof ShardEvent.Working working) {
                        last.put(shard, working.progress());
                        if (!output.isJson()) {
                            output.progress().progressed(together(false));
                        }
                    } else if (event.content() instanceof ShardEvent.Notice notice && !output.isJson()) {
                        output.progress().noticeIssued(shard.label() + ": " + notice.text());
                    } else if (event.content() instanceof ShardEvent.Compared compared) {
                        verified.put(shard, compared.verified());
                    }
                    print(shard, event);
                },
                number -> {
                    Optional<String> open = work.ledger().notDone(number);
                    return open.isEmpty() && work.isComparing() && !verified.containsKey(shards.get(number))
                            ? Optional.of("its process has ended without a result")
                            : open;
                });
        output.progress().close();
        if (!output.isJson()) {
            summarize(ended, verified);
        }
        return worst(ended);
    }

    private void summarize(List<Shard.Ended> ended, Map<Shard, Verified> verified) {
        long done = ended.stream().filter(Shard.Ended::isDone).count();
        String servers = done + " of " + shards.size() + " servers";
        PrintWriter out = output.out();
        if (!verified.isEmpty()) {
            out.println("Compared on " + servers + ": " + ReencodeOutput.inWords(Verified.sum(verified.values())));
        } else if (last.isEmpty()) {
            out.println("Done on " + servers + ".");
        } else {
            Progress all = together(true);
            out.printf(
                    Locale.ROOT,
                    "Done on %s: %,d of %,d rows changed; %s before, %s now.%n",
                    servers,
                    all.changed(),
                    all.rows(),
                    ReencodeOutput.bytes(all.bytesBefore()),
                    ReencodeOutput.bytes(all.bytesAfter()));
        }
        Map<String, String> failed = new LinkedHashMap<>();
        IntStream.range(0, shards.size())
                .filter(i -> !ended.get(i).isDone())
                .forEach(i -> failed.put(shards.get(i).label(), ended.get(i).reason()));
        if (!failed.isEmpty()) {
            list("Not done on %d of %d; the same command continues:", failed);
        }
        out.flush();
    }

    /** All servers as one table. Rows of those that have not begun are estimates. */
    private Progress together(boolean isEnded) {
        long rows = sum(Progress::rows);
        long tableRows = shards.stream()
                .mapToLong(shard ->
                        last.containsKey(shard) ? last.get(shard).tableRows() : expectedRows.getOrDefault(shard, 0L))
                .sum();
        double seconds = (System.nanoTime() - beginNanos) / 1e9;
        return new Progress(
                isEnded ? "changed" : "changing",
                rows,
                Math.max(rows, tableRows),
                sum(Progress::changed),
                sum(Progress::overtaken),
                sum(Progress::bytesBefore),
                sum(Progress::bytesAfter),
                sum(Progress::binlogBytes),
                seconds,
                0,
                rows == 0 ? OptionalDouble.empty() : OptionalDouble.of(seconds / rows * Math.max(0, tableRows - rows)),
                Optional.empty());
    }

    private long sum(ToLongFunction<Progress> figure) {
        return last.values().stream().mapToLong(figure).sum();
    }

    /** A line for each event of a process, with its server. */
    private synchronized void print(Shard shard, ShardEvent event) {
        if (output.isJson()) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("server", shard.label());
            line.put(event.kind(), event.json());
            output.out().println(RunJson.MAPPER.writeValueAsString(line));
            output.out().flush();
        }
    }

    /** The worst of all: an error before a refusal, and these before an interruption. */
    private static ExitCode worst(List<Shard.Ended> ended) {
        int code = ended.stream()
                .mapToInt(Shard.Ended::code)
                .filter(each -> each != ExitCode.DONE.code())
                .min()
                .orElse(ExitCode.DONE.code());
        for (ExitCode known : ExitCode.values()) {
            if (known.code() == code) {
                return known;
            }
        }
        return ExitCode.ERROR;
    }

    private interface Listener {
        void received(Shard shard, ShardEvent event);
    }

    private List<Shard.Ended> all(List<String> more, Listener listener, Ledger ledger)
            throws IOException, InterruptedException {
        ExecutorService workers = Executors.newFixedThreadPool(atOnce, ReencodeShards::thread);
        Optional<Thread> pausing = work.pauseFile().map(file -> thread(() -> watch(file)));
        pausing.ifPresent(Thread::start);
        try {
            List<Future<Shard.Ended>> running = new ArrayList<>();
            for (int i = 0; i < shards.size(); i++) {
                int number = i;
                running.add(workers.submit(() -> run(number, more, listener, ledger)));
            }
            List<Shard.Ended> ended = new ArrayList<>();
            for (Future<Shard.Ended> each : running) {
                try {
                    ended.add(each.get());
                } catch (ExecutionException e) {
                    ended.add(new Shard.Ended(
                            ExitCode.ERROR.code(), String.valueOf(e.getCause().getMessage())));
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

    private Shard.Ended run(int number, List<String> more, Listener listener, Ledger ledger)
            throws IOException, InterruptedException {
        awaitPermission();
        if (isStopped) {
            return new Shard.Ended(ExitCode.INTERRUPTED.code(), "it was not begun");
        }
        Shard shard = shards.get(number);
        Shard.Ended ended =
                shard.run(launch, work.order(number, more), work.patience(), event -> listener.received(shard, event));
        return ended.isDone() ? checked(number, ended, ledger) : ended;
    }

    /** A process may be on a host that says what is not true. */
    private static Shard.Ended checked(int number, Shard.Ended ended, Ledger ledger) throws InterruptedException {
        try {
            return ledger.notDone(number)
                    .map(open -> new Shard.Ended(ExitCode.ERROR.code(), open))
                    .orElse(ended);
        } catch (SQLException | IOException | ServerException | DatasetException | ReencodeException e) {
            return new Shard.Ended(
                    ExitCode.ERROR.code(),
                    "its process says that it is done, and this machine cannot check that: " + e.getMessage());
        }
    }

    /** A process that has ended before a pause was passed on to it would not know of it. */
    private void awaitPermission() throws InterruptedException {
        while (!isStopped && work.pauseFile().filter(Files::exists).isPresent()) {
            if (!output.isJson() && !isPauseAnnounced.getAndSet(true)) {
                output.progress()
                        .noticeIssued("paused: the file " + work.pauseFile().get() + " exists");
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
