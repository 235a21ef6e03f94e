package dev.blobmark.bench.reencode.random;

import dev.blobmark.bench.reencode.random.Scenario.Change;
import dev.blobmark.bench.reencode.random.Scenario.Step;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Leaves out of a scenario what it does not need to end as it did. */
final class Shrink {

    private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(2);
    private static final int REPETITIONS = 2;

    private final Stage stage;
    private final String kind;
    private final long endNanos = System.nanoTime() + LIMIT_NANOS;
    private Scenario smallest;
    private Result result;

    private Shrink(Stage stage, Scenario scenario, Result result) {
        this.stage = stage;
        kind = result.kind();
        smallest = scenario;
        this.result = result;
    }

    /** The smallest scenario that was found, with what became of it. */
    record Shrunk(Scenario scenario, Result result) {}

    static Shrunk run(Stage stage, Scenario scenario, Result result)
            throws SQLException, IOException, InterruptedException {
        Shrink shrink = new Shrink(stage, scenario, result);
        shrink.run();
        return new Shrunk(shrink.smallest, shrink.result);
    }

    private void run() throws SQLException, IOException, InterruptedException {
        int before;
        do {
            before = size();
            groups();
            lists(Scenario::steps, Scenario::withSteps);
            lists(Scenario::setup, Scenario::withSetup);
            lists(Scenario::globals, Scenario::withGlobals);
            for (int i = 0; i < smallest.sessions().size(); i++) {
                int session = i;
                lists(of -> of.sessions().get(session), (of, settings) -> {
                    List<List<String>> sessions = new ArrayList<>(of.sessions());
                    sessions.set(session, settings);
                    return of.withSessions(sessions);
                });
            }
            table();
            change();
        } while (size() < before && System.nanoTime() < endNanos);
    }

    private int size() {
        return smallest.steps().size()
                + smallest.setup().size()
                + smallest.globals().size()
                + smallest.sessions().stream().mapToInt(List::size).sum()
                + smallest.table().columns().size()
                + smallest.table().indexes().size();
    }

    private boolean isAdopted(Scenario candidate) throws SQLException, IOException, InterruptedException {
        for (int i = 0; i < REPETITIONS && System.nanoTime() < endNanos; i++) {
            Result of = Trial.run(stage, candidate);
            if (of.kind().equals(kind)) {
                smallest = candidate;
                result = of;
                return true;
            }
            if (of.outcome() == Result.Outcome.INVALID) {
                return false;
            }
        }
        return false;
    }

    private void groups() throws SQLException, IOException, InterruptedException {
        List<Integer> groups =
                smallest.steps().stream().map(Step::group).distinct().collect(Collectors.toList());
        for (int size = Math.max(1, groups.size() / 2); size >= 1; size /= 2) {
            for (int from = 0; from < groups.size(); ) {
                List<Integer> dropped = groups.subList(from, Math.min(groups.size(), from + size));
                List<Step> kept = smallest.steps().stream()
                        .filter(step -> !dropped.contains(step.group()))
                        .toList();
                if (isAdopted(smallest.withSteps(kept))) {
                    dropped.clear();
                } else {
                    from += size;
                }
            }
        }
    }

    private interface Replace<T> {
        Scenario with(Scenario scenario, List<T> list);
    }

    /** Leaves out parts of a list, halves first. */
    private <T> void lists(Function<Scenario, List<T>> of, Replace<T> replace)
            throws SQLException, IOException, InterruptedException {
        for (int size = of.apply(smallest).size() / 2 + 1; size >= 1; size /= 2) {
            for (int from = 0; from < of.apply(smallest).size(); ) {
                List<T> kept = new ArrayList<>(of.apply(smallest));
                kept.subList(from, Math.min(kept.size(), from + size)).clear();
                if (!isAdopted(replace.with(smallest, List.copyOf(kept)))) {
                    from += size;
                }
            }
        }
    }

    private void table() throws SQLException, IOException, InterruptedException {
        boolean isSmaller = true;
        while (isSmaller) {
            isSmaller = false;
            for (Table table : smallest.table().smaller()) {
                if (isAdopted(smallest.with(table))) {
                    isSmaller = true;
                    break;
                }
            }
        }
    }

    private void change() throws SQLException, IOException, InterruptedException {
        Change of = smallest.change();
        Change simple = new Change(of.isCopy(), of.from(), "zstd:3", 100, 1, Scenario.After.NOTHING);
        if (!simple.equals(of)) {
            isAdopted(smallest.with(simple));
        }
    }

    /** All statements, as they were executed. */
    static String text(Scenario scenario) {
        StringBuilder text = new StringBuilder();
        scenario.globals()
                .forEach(global -> text.append("SET GLOBAL ").append(global).append(";\n"));
        text.append(scenario.table().ddl()).append(";\n");
        scenario.setup().forEach(statement -> text.append(statement.main()).append(";\n"));
        for (int i = 0; i < scenario.sessions().size(); i++) {
            if (!scenario.sessions().get(i).isEmpty()) {
                text.append("session ")
                        .append(i)
                        .append(" sets ")
                        .append(scenario.sessions().get(i))
                        .append('\n');
            }
        }
        text.append(scenario.change())
                .append(" of ")
                .append(scenario.table().payload())
                .append('\n');
        scenario.steps()
                .forEach(step -> text.append("phase ")
                        .append(step.phase())
                        .append(step.isAwaited() ? "!" : "")
                        .append(", session ")
                        .append(step.session())
                        .append(step.isLate() ? ", late" : "")
                        .append(": ")
                        .append(step.act() == Scenario.Act.EXECUTE ? "" : step.act() + " ")
                        .append(step.statement().main())
                        .append('\n'));
        return text.toString();
    }
}
