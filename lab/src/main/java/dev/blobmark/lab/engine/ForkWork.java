package dev.blobmark.lab.engine;

import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** What the JVM does that measures. */
public final class ForkWork {

    private ForkWork() {}

    /**
     * Takes a plan as one line of JSON and measures what it says.
     *
     * @param in where the plan comes from; its end tells that the parent is gone
     * @param out receives the samples, a line each
     * @param orphaned is run, on a thread of its own, when {@code in} ends before the work does
     */
    public static void run(InputStream in, OutputStream out, Runnable orphaned)
            throws IOException, InterruptedException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        ForkPlan plan = ForkMessage.MAPPER.readValue(lines.readLine(), ForkPlan.class);
        Thread parent = new Thread(
                () -> {
                    awaitEnd(lines);
                    orphaned.run();
                },
                "parent-watch");
        parent.setDaemon(true);
        parent.start();
        PrintStream messages = new PrintStream(out, false, StandardCharsets.UTF_8);
        run(plan, message -> {
            messages.println(message.toLine());
            messages.flush();
        });
    }

    private static void awaitEnd(BufferedReader lines) {
        try {
            while (lines.readLine() != null) {
                // nothing is said after the plan
            }
        } catch (IOException e) {
            // as good as the end
        }
    }

    private static void run(ForkPlan plan, Consumer<ForkMessage> messages) throws IOException, InterruptedException {
        Map<String, EncodedValues> values = new HashMap<>();
        for (ForkPlan.PlannedRound round : plan.rounds()) {
            for (int number : round.order()) {
                ForkPlan.PlannedTrial planned = plan.trials().get(number);
                messages.accept(new ForkMessage.Started(round.round(), number));
                EncodedValues stored = values.get(planned.valuesFile());
                if (stored == null) {
                    stored = EncodedValues.open(Path.of(planned.valuesFile()));
                    values.put(planned.valuesFile(), stored);
                }
                messages.accept(measure(plan, round.round(), planned, stored));
            }
        }
    }

    private static ForkMessage measure(ForkPlan plan, int round, ForkPlan.PlannedTrial planned, EncodedValues values)
            throws InterruptedException {
        Trial trial = planned.trial();
        Levels levels = trial.levels();
        Optional<ForkPlan.Place> place = planned.place();
        Workload workload = Workload.FACTOR.of(levels);
        Setup setup = new Setup(
                levels,
                values,
                place.map(ForkPlan.Place::endpoint).orElse(null),
                place.map(ForkPlan.Place::schema).orElse(null),
                place.map(ForkPlan.Place::table).orElse(null));
        Instant startedAt = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        TrialRun run = TrialRun.of(new TrialSpec(
                workload,
                setup,
                Threads.FACTOR.of(levels),
                Load.FACTOR.of(levels),
                plan.window(),
                plan.warmUp(),
                Clock.SYSTEM,
                Seeds.mix(plan.seed(), plan.fork(), round, trial.id().hashCode())));
        return ForkMessage.Finished.of(run.toSample(plan, round, planned, startedAt), run.latency());
    }
}
