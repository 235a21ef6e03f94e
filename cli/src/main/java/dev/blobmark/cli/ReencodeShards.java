package dev.blobmark.cli;

import dev.blobmark.cli.shards.ShardEnd;
import dev.blobmark.cli.shards.ShardEvent;
import dev.blobmark.cli.shards.ShardOrder;
import dev.blobmark.cli.shards.Shards;
import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.run.RunJson;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.verify.Verified;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * The same change on several servers: a process for each, several at once, on this machine or on the hosts of a
 * cluster. What was done is in tables of each server, so that the same command continues on all of them, from anywhere.
 */
final class ReencodeShards {

    private static final int MOST_SHOWN = 20;

    private final List<String> labels;
    private final Shards shards;
    private final ShardWork work;
    private final ReencodeOutput output;
    private final Map<Integer, Progress> last = new ConcurrentHashMap<>();
    private final Map<Integer, Long> expectedRows = new ConcurrentHashMap<>();
    private final long beginNanos = System.nanoTime();

    /**
     * What each process does.
     *
     * @param arguments of server number i, without what asks and without the kind of output
     * @param pauseFile all wait while it exists
     * @param isComparing whether each must have a result of {@code --verify}
     * @param ledger what the servers say
     * @param patience how long a process may be silent
     */
    record ShardWork(
            List<List<String>> arguments,
            Optional<String> password,
            ShardOrder.ShardLogin login,
            Optional<Path> pauseFile,
            boolean isComparing,
            Shards.Ledger ledger,
            Duration patience) {

        ShardOrder order(int number, List<String> more) {
            List<String> all = new ArrayList<>(arguments.get(number));
            all.addAll(more);
            all.addAll(List.of("--format", "json"));
            return new ShardOrder(all, password, login, false);
        }
    }

    /** @param atOnce processes at a time */
    ReencodeShards(List<String> servers, Launch launch, int atOnce, ShardWork work, ReencodeOutput output) {
        labels = servers.stream().map(ServerNames::label).toList();
        this.work = work;
        this.output = output;
        shards = new Shards(servers.size(), launch, atOnce, work.patience(), work.pauseFile(), notice -> {
            if (!output.isJson()) {
                output.progress().noticeIssued(notice);
            }
        });
    }

    /** Lets all processes end after their transactions. Any thread may call it. */
    void stop() {
        shards.stop();
    }

    /**
     * Looks at all tables, and writes nothing.
     *
     * @return that of the first process that failed
     */
    ExitCode preview() throws IOException, InterruptedException {
        Map<Integer, ShardEvent.Looked> previews = new ConcurrentHashMap<>();
        List<ShardEnd> ended = shards.run(
                number -> work.order(number, List.of("--dry-run")),
                (number, event) -> {
                    if (event.content() instanceof ShardEvent.Looked preview) {
                        previews.put(number, preview);
                        expectedRows.put(number, preview.rows());
                        print(number, event);
                    }
                },
                number -> previews.containsKey(number)
                        ? Optional.empty()
                        : Optional.of("its process has ended without a preview"));
        if (!output.isJson()) {
            long rows = expectedRows.values().stream().mapToLong(n -> n).sum();
            output.out()
                    .printf(
                            Locale.ROOT,
                            "%d servers, about %,d rows; values take %s now, about %s then%n",
                            labels.size(),
                            rows,
                            ReencodeOutput.bytes(sum(previews, ShardEvent.Looked::bytes)),
                            ReencodeOutput.bytes(sum(previews, ShardEvent.Looked::bytesAfter)));
        }
        Map<String, String> refused = new LinkedHashMap<>();
        for (int i = 0; i < labels.size(); i++) {
            ShardEvent.Looked preview = previews.get(i);
            if (preview != null && !preview.problems().isEmpty()) {
                refused.put(labels.get(i), String.join("; ", preview.problems()));
            } else if (!ended.get(i).isDone()) {
                refused.put(labels.get(i), ended.get(i).reason());
            }
        }
        if (!output.isJson() && !refused.isEmpty()) {
            list("It cannot begin on %d of %d servers:", refused);
        }
        return worst(ended);
    }

    private static long sum(Map<Integer, ShardEvent.Looked> previews, ToDoubleFunction<ShardEvent.Looked> figure) {
        return Math.round(previews.values().stream().mapToDouble(figure).sum());
    }

    private void list(String head, Map<String, String> reasons) {
        output.out().printf(head + "%n", reasons.size(), labels.size());
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
        Map<Integer, Verified> verified = new ConcurrentHashMap<>();
        List<ShardEnd> ended = shards.run(
                number -> work.order(number, List.of("--yes")),
                (number, event) -> {
                    if (event.content() instanceof ShardEvent.Working working) {
                        last.put(number, working.progress());
                        if (!output.isJson()) {
                            output.progress().progressed(together(false));
                        }
                    } else if (event.content() instanceof ShardEvent.Notice notice && !output.isJson()) {
                        output.progress().noticeIssued(labels.get(number) + ": " + notice.text());
                    } else if (event.content() instanceof ShardEvent.VerifiedEvent compared) {
                        verified.put(number, compared.verified());
                    }
                    print(number, event);
                },
                number -> {
                    Optional<String> open = work.ledger().notDone(number);
                    return open.isEmpty() && work.isComparing() && !verified.containsKey(number)
                            ? Optional.of("its process has ended without a result")
                            : open;
                });
        output.progress().close();
        if (!output.isJson()) {
            summarize(ended, verified);
        }
        return worst(ended);
    }

    private void summarize(List<ShardEnd> ended, Map<Integer, Verified> verified) {
        long done = ended.stream().filter(ShardEnd::isDone).count();
        String servers = done + " of " + labels.size() + " servers";
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
        IntStream.range(0, labels.size())
                .filter(i -> !ended.get(i).isDone())
                .forEach(i -> failed.put(labels.get(i), ended.get(i).reason()));
        if (!failed.isEmpty()) {
            list("Not done on %d of %d; the same command continues:", failed);
        }
        out.flush();
    }

    /** All servers as one table. Rows of those that have not begun are estimates. */
    private Progress together(boolean isEnded) {
        long rows = sum(Progress::rows);
        long tableRows = IntStream.range(0, labels.size())
                .mapToLong(number ->
                        last.containsKey(number) ? last.get(number).tableRows() : expectedRows.getOrDefault(number, 0L))
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
    private synchronized void print(int number, ShardEvent event) {
        if (output.isJson()) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("server", labels.get(number));
            line.put(event.kind(), event.json());
            output.out().println(RunJson.MAPPER.writeValueAsString(line));
            output.out().flush();
        }
    }

    /** The worst of all: an error before a refusal, and these before an interruption. */
    private static ExitCode worst(List<ShardEnd> ended) {
        int code = ended.stream()
                .mapToInt(ShardEnd::code)
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
}
