package dev.blobmark.lab.fork;

import dev.blobmark.lab.client.ClientKind;
import dev.blobmark.lab.client.ConnectionHandling;
import dev.blobmark.lab.client.ConnectionPool;
import dev.blobmark.lab.engine.Compilation;
import dev.blobmark.lab.engine.ServerWatch;
import dev.blobmark.lab.engine.TrialPhase;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.engine.TrialSpec;
import dev.blobmark.lab.engine.VisitedTrial;
import dev.blobmark.lab.engine.WindowedTrial;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.link.SharedLink;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.plan.Seeds;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.ServerProbe;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.server.Endpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.core.JacksonException;

/** The work of a measuring JVM. It knows only the orders that it receives, not the plan. */
public final class ForkWork {

    private static final long RUN_IN_SEED = -1;

    private final PrintStream messages;
    private final BlockingQueue<Optional<Task>> tasks = new LinkedBlockingQueue<>();
    private final AtomicInteger unfinished = new AtomicInteger();
    private final Map<String, EncodedValues> values = new HashMap<>();
    private final Set<String> runIn = new HashSet<>();
    private final Map<Integer, OpenTrial> open = new HashMap<>();
    private final Map<Watched, ServerWatch> watches = new HashMap<>();
    private final Compilation compilation = new Compilation();

    private ForkWork(OutputStream out) {
        messages = new PrintStream(out, false, StandardCharsets.UTF_8);
    }

    /** Work that is done one after another. */
    private interface Task {
        ForkMessage perform() throws InterruptedException;
    }

    /** A trial that is visited, and the connection pool of its workers. */
    private record OpenTrial(VisitedTrial trial, Optional<ConnectionPool> pool) {
        void close() {
            trial.close();
            pool.ifPresent(ConnectionPool::close);
        }
    }

    /** What a server watch depends on; trials for which it is equal share one. */
    private record Watched(ForkPlan.LoadedTable place, ServerProbe.ProbeSource probe) {

        static Watched of(ForkPlan.LoadedTable place, Design design) {
            return new Watched(
                    place.withoutTable(), design.get(StoreKinds.FACTOR).probe(design));
        }

        ServerWatch open() {
            return ServerWatch.of(place, probe);
        }
    }

    /**
     * Carries out orders until they end.
     *
     * @param in the orders; the end of the stream means that there are no more, or that the parent is gone
     * @param out receives the messages, one line each
     * @param orphaned is run on a separate thread if {@code in} ends before the work does
     */
    public static void run(InputStream in, OutputStream out, Runnable orphaned) throws InterruptedException {
        ForkWork work = new ForkWork(out);
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        Thread parent = new Thread(() -> work.receive(lines, orphaned), "parent");
        parent.setDaemon(true);
        parent.start();
        for (Optional<Task> task = work.tasks.take(); task.isPresent(); task = work.tasks.take()) {
            ForkMessage answer = task.get().perform();
            work.unfinished.decrementAndGet();
            work.send(answer);
        }
        work.open.values().forEach(OpenTrial::close);
        work.watches.values().forEach(ServerWatch::close);
    }

    private void receive(BufferedReader lines, Runnable orphaned) {
        List<String> valuesDirectories = List.of();
        TrialPhase phase = new TrialPhase(0);
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                ForkOrder order = ForkOrder.ofLine(line);
                if (order instanceof ForkOrder.Begin begin) {
                    valuesDirectories = begin.valuesDirectories();
                } else if (order instanceof ForkOrder.Measure measure) {
                    TrialPhase ofTrial = new TrialPhase(
                            measure.trial().design().get(ClientKind.FACTOR) == ClientKind.ASYNC
                                    ? 1
                                    : measure.share().count());
                    phase = ofTrial;
                    List<String> directories = valuesDirectories;
                    add(() -> new ForkMessage.Finished(measure(measure, directories, ofTrial)));
                } else if (order instanceof ForkOrder.Open opening) {
                    List<String> directories = valuesDirectories;
                    add(() -> open(opening, directories));
                } else if (order instanceof ForkOrder.MeasureVisit visit) {
                    add(() -> visited(
                            visit.number(), open.get(visit.number()).trial.visit(visit.round(), visit.nanos())));
                } else if (order instanceof ForkOrder.KeepWarm more) {
                    add(() ->
                            visited(more.number(), open.get(more.number()).trial.warmUp(more.nanos())));
                } else if (order instanceof ForkOrder.Results account) {
                    add(() -> new ForkMessage.Finished(
                            open.get(account.number()).trial.account()));
                } else if (order instanceof ForkOrder.Finish finish) {
                    add(() -> finish(finish.number()));
                } else if (order instanceof ForkOrder.Go go) {
                    TrialPhase ready = phase;
                    go.at().ifPresentOrElse(ready::go, ready::go);
                } else if (order instanceof ForkOrder.Stop) {
                    phase.fail(new IllegalStateException("stopped, because another process failed"));
                }
            }
        } catch (IOException | JacksonException e) {
            // treated like the end of the orders
        }
        if (unfinished.get() > 0) {
            orphaned.run();
        }
        phase.fail(new IllegalStateException("stopped, because the parent is gone"));
        tasks.add(Optional.empty());
    }

    private void add(Task task) {
        unfinished.incrementAndGet();
        tasks.add(Optional.of(task));
    }

    private TrialRun measure(ForkOrder.Measure order, List<String> valuesDirectories, TrialPhase phase)
            throws InterruptedException {
        try {
            SharedLink link = link(order.trial().design(), order.linkFile());
            try (ConnectionPool pool = pool(order, link)) {
                TrialSpec spec = spec(order, valuesDirectories, link, Optional.ofNullable(pool));
                if (runIn.add(order.codePath())) {
                    runIn(spec);
                }
                try (ServerWatch watch = watch(order)) {
                    return WindowedTrial.run(spec, phase, () -> send(new ForkMessage.Ready()), watch);
                }
            }
        } catch (IOException | SQLException e) {
            return TrialRun.failed(e);
        }
    }

    private ForkMessage open(ForkOrder.Open opening, List<String> valuesDirectories) throws InterruptedException {
        ForkOrder.Measure order = opening.how();
        ConnectionPool pool = null;
        try {
            SharedLink link = link(order.trial().design(), order.linkFile());
            pool = pool(order, link);
            TrialSpec spec = spec(order, valuesDirectories, link, Optional.ofNullable(pool));
            VisitedTrial trial = new VisitedTrial(spec, sharedWatch(order), compilation, VisitedTrial.SETTLE_NANOS);
            open.put(opening.number(), new OpenTrial(trial, Optional.ofNullable(pool)));
            return trial.awaitWarm() ? new ForkMessage.Ready() : finish(opening.number());
        } catch (IOException | SQLException e) {
            if (pool != null && !open.containsKey(opening.number())) {
                pool.close();
            }
            return new ForkMessage.Finished(TrialRun.failed(e));
        }
    }

    private ForkMessage visited(int number, boolean isOpen) throws InterruptedException {
        return isOpen ? new ForkMessage.Visited(open.get(number).trial.compiling()) : finish(number);
    }

    private ForkMessage finish(int number) throws InterruptedException {
        OpenTrial finished = open.remove(number);
        TrialRun run = finished.trial.finish();
        finished.close();
        return new ForkMessage.Finished(run);
    }

    private TrialSpec spec(
            ForkOrder.Measure order, List<String> valuesDirectories, SharedLink link, Optional<ConnectionPool> pool)
            throws IOException, InterruptedException {
        Design design = order.trial().design();
        List<Endpoint> connected =
                order.place().map(ForkPlan.LoadedTable::connected).orElse(List.of());
        Setup setup = new Setup(
                design,
                values(order.values(), valuesDirectories),
                connected.isEmpty() ? null : connected.get(0),
                connected.subList(Math.min(1, connected.size()), connected.size()),
                order.place().map(ForkPlan.LoadedTable::schema).orElse(null),
                order.place().map(ForkPlan.LoadedTable::table).orElse(null),
                order.seed(),
                link,
                pool,
                false);
        Workload workload = design.get(Workload.FACTOR);
        return new TrialSpec(
                workload,
                setup,
                order.share(),
                design.get(Load.FACTOR),
                workload.window(design, order.window(), setup.values().count()),
                order.warmUp(),
                Clock.SYSTEM,
                order.seed());
    }

    /** The connection pool of this process's workers; null if each has its own connection, or there is no table. */
    private static ConnectionPool pool(ForkOrder.Measure order, SharedLink link) throws SQLException {
        Design design = order.trial().design();
        ConnectionHandling handling = design.get(ConnectionHandling.FACTOR);
        if (!handling.isPooled() || order.place().isEmpty()) {
            return null;
        }
        ForkPlan.LoadedTable place = order.place().get();
        return new ConnectionPool(
                place.connected(),
                design.get(StoreKinds.FACTOR).connector(place.schema(), design),
                link,
                handling.size().orElse(order.share().count()));
    }

    private static SharedLink link(Design design, Optional<String> file) throws IOException {
        Link link = design.get(Link.FACTOR);
        return file.isPresent() ? SharedLink.of(link, Path.of(file.get())) : SharedLink.of(link);
    }

    /** Only the first process of a trial watches the server. */
    private static ServerWatch watch(ForkOrder.Measure order) {
        return order.share().first() > 0
                ? ServerWatch.none("another process of the trial watches the server")
                : order.place()
                        .map(place -> Watched.of(place, order.trial().design()).open())
                        .orElseGet(() -> ServerWatch.none("no server"));
    }

    /** Only one of the open trials runs at a time, so they share a watch. */
    private ServerWatch sharedWatch(ForkOrder.Measure order) {
        return order.place()
                .map(place ->
                        watches.computeIfAbsent(Watched.of(place, order.trial().design()), Watched::open))
                .orElseGet(() -> ServerWatch.none("no server"));
    }

    /** Failures are ignored here, because they occur again when the trial is measured. */
    private void runIn(TrialSpec spec) throws InterruptedException {
        new RunIn(spec.warmUp()).run(length -> {
            long compiledBefore = compilation.nanos();
            long begin = System.nanoTime();
            TrialRun run = WindowedTrial.run(new TrialSpec(
                    spec.workload(),
                    spec.setup().runIn(),
                    spec.share(),
                    new Load.Closed(),
                    new Window.Time(length),
                    Duration.ZERO,
                    Clock.SYSTEM,
                    Seeds.mix(spec.seed(), RUN_IN_SEED)));
            return run.operations().isEmpty()
                    ? OptionalDouble.empty()
                    : OptionalDouble.of((double) (compilation.nanos() - compiledBefore) / (System.nanoTime() - begin));
        });
    }

    private EncodedValues values(String name, List<String> directories) throws IOException {
        EncodedValues known = values.get(name);
        if (known == null) {
            Path file = directories.stream()
                    .map(directory -> Path.of(directory, name))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow(
                            () -> new IOException("encoded values " + name + " are in none of the run's directories"));
            known = EncodedValues.open(file);
            values.put(name, known);
        }
        return known;
    }

    private void send(ForkMessage message) {
        messages.println(message.toLine());
        messages.flush();
    }
}
