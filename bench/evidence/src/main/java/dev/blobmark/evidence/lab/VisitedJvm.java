package dev.blobmark.evidence.lab;

import dev.blobmark.lab.engine.Compilation;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.engine.TrialSpec;
import dev.blobmark.lab.engine.VisitedTrial;
import dev.blobmark.lab.fork.JvmLaunch;
import dev.blobmark.lab.fork.StartedJvm;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Visits;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.server.Endpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A child JVM, as its parent sees it. It opens a fetch trial for each table like the lab, and visits one on request.
 */
final class VisitedJvm implements AutoCloseable {

    static final Duration WINDOW = Duration.ofMillis(25);

    private static final Duration WARM_UP = Duration.ofMillis(100);

    private static final int MAX_WARM_UPS = 16;

    private static final double MAX_COMPILING = 0.05;

    private final StartedJvm process;
    private final BufferedReader answers;

    /** Starts the JVM, and returns when its trials have been warmed up. */
    VisitedJvm(JvmLaunch launch, Path directory, Endpoint endpoint, List<EncodedValues> values) throws IOException {
        process = launch.start(Path.of(System.getProperty("java.home"), "bin", "java"), directory);
        answers = process.lines();
        process.send(endpoint.host());
        process.send(Integer.toString(endpoint.port()));
        process.send(endpoint.user());
        process.send(endpoint.password());
        process.send(Integer.toString(values.size()));
        for (EncodedValues table : values) {
            process.send(table.path().toString());
        }
        answer();
    }

    /**
     * One visit.
     *
     * @param quiet whether the JVM's compilers were idle
     * @param faults pages that the JVM touched for the first time
     */
    record Visited(boolean quiet, long faults) {}

    Visited visit(int table, int round) throws IOException {
        process.send("visit " + table + " " + round);
        String[] words = answer().split(" ");
        return new Visited(Boolean.parseBoolean(words[0]), Long.parseLong(words[1]));
    }

    /**
     * The results of the visits since the last account.
     *
     * @param rates operations per second by round
     * @param waitingNanos of an operation, until the first byte of an answer
     * @param transferNanos of an operation, in socket calls after the first byte
     * @param clientNanos of an operation, between socket calls
     */
    record Account(Map<Integer, Double> rates, double waitingNanos, double transferNanos, double clientNanos) {}

    Account account(int table) throws IOException {
        process.send("account " + table);
        List<String> words = List.of(answer().split(" "));
        Map<Integer, Double> rates = new HashMap<>();
        for (String each : words.subList(3, words.size())) {
            String[] pair = each.split("=");
            rates.put(Integer.parseInt(pair[0]), Double.parseDouble(pair[1]));
        }
        return new Account(
                rates,
                Double.parseDouble(words.get(0)),
                Double.parseDouble(words.get(1)),
                Double.parseDouble(words.get(2)));
    }

    private String answer() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the JVM with pid " + process.pid() + " ended");
        }
        return line;
    }

    @Override
    public void close() {
        process.kill();
    }

    /** The main class of the child JVM. */
    static final class Main {

        private Main() {}

        public static void main(String[] args) throws Exception {
            BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            Endpoint endpoint = new Endpoint(
                    commands.readLine(),
                    Integer.parseInt(commands.readLine()),
                    commands.readLine(),
                    commands.readLine());
            Compilation compilation = new Compilation();
            List<VisitedTrial> trials = new ArrayList<>();
            int tables = Integer.parseInt(commands.readLine());
            for (int table = 0; table < tables; table++) {
                Design levels = Design.of(Map.of("workload", "fetch"));
                Setup setup = new Setup(
                        levels, EncodedValues.open(Path.of(commands.readLine())), endpoint, "bench", "t" + table);
                trials.add(VisitedTrial.open(
                        new TrialSpec(
                                levels.get(Workload.FACTOR),
                                setup,
                                1,
                                new Window.Time(WINDOW),
                                WARM_UP,
                                Clock.SYSTEM,
                                42),
                        compilation));
            }
            boolean isCompiling = true;
            for (int round = 0; isCompiling && round < MAX_WARM_UPS; round++) {
                isCompiling = false;
                for (VisitedTrial trial : trials) {
                    isCompiling |= !visit(trial, round, compilation).quiet;
                }
            }
            trials.forEach(VisitedTrial::account);
            System.out.println("ready");
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                String[] command = line.split(" ");
                VisitedTrial trial = trials.get(Integer.parseInt(command[1]));
                if (command[0].equals("visit")) {
                    Visited visited = visit(trial, Integer.parseInt(command[2]), compilation);
                    System.out.println(visited.quiet + " " + visited.faults);
                } else {
                    System.out.println(words(trial.account()));
                }
            }
        }

        private static Visited visit(VisitedTrial trial, int round, Compilation compilation)
                throws InterruptedException {
            long faultsBefore = faults();
            long compiledBefore = compilation.nanos();
            long begin = System.nanoTime();
            if (!trial.visit(round, WINDOW.toNanos())) {
                throw new IllegalStateException(trial.finish().outcome().reason());
            }
            double compiling = (double) (compilation.nanos() - compiledBefore) / (System.nanoTime() - begin);
            return new Visited(compiling <= MAX_COMPILING, faults() - faultsBefore);
        }

        private static String words(TrialRun run) {
            if (run.outcome() instanceof Outcome.Failed failed) {
                throw new IllegalStateException(failed.reason());
            }
            Visits visits = run.visits().orElseThrow();
            TimeSpent time = run.operations().get("fetch").time().orElseThrow();
            List<String> words = new ArrayList<>(List.of(
                    Double.toString(time.waiting()), Double.toString(time.transfer()), Double.toString(time.client())));
            for (int visit = 0; visit < visits.count(); visit++) {
                words.add(visits.rounds().get(visit) + "="
                        + visits.operationsPerS().get(visit));
            }
            return String.join(" ", words);
        }

        /** Minor faults of this process so far (minflt, in proc(5)). */
        private static long faults() {
            try {
                String stat = Files.readString(Path.of("/proc/self/stat"));
                return Long.parseLong(stat.substring(stat.lastIndexOf(") ") + 2).split(" ")[7]);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
