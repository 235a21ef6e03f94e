package dev.blobmark.lab.fork;

import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Visits;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.server.Incident;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A group of trials in the rounds of a fork. They are opened one after another, visited in turns, and stay open until
 * the last round is over. A trial that fails does not affect the others. If a JVM crashes, the current trial is lost,
 * and the round is repeated without it.
 */
final class VisitedRounds {

    private static final int MAX_WARM_UPS = 4;

    private final ForkPlan plan;
    private final Fork fork;
    private final Fork.Callbacks callbacks;

    /** The open trials, by number. */
    private final Map<Integer, VisitHistory> open = new LinkedHashMap<>();

    private final Slumps slumps = new Slumps();

    /** The undisturbed visits of the round, in order of time. */
    private final List<Undisturbed> undisturbed = new ArrayList<>();

    /** The number of the trial that the JVMs are working on. */
    private int current;

    private int round;
    private VisitOrder order;

    VisitedRounds(ForkPlan plan, Fork fork, Fork.Callbacks callbacks) {
        this.plan = plan;
        this.fork = fork;
        this.callbacks = callbacks;
    }

    /**
     * An undisturbed visit.
     *
     * @param trial number of the trial
     * @param visit number of the visit among those of the trial
     */
    private record Undisturbed(int trial, int visit) {}

    /** What has happened during the visits of a trial since it was opened or last accounted for. */
    private static final class VisitHistory {
        private int visits;

        /** What has disturbed visits, by their numbers. */
        private final Map<Integer, String> disturbed = new HashMap<>();

        private final Set<String> incidents = new TreeSet<>();
    }

    /** @param group numbers of the trials */
    void measure(List<Integer> group) throws IOException, InterruptedException {
        for (ForkPlan.PlannedRound planned : plan.rounds()) {
            round = planned.round();
            order = new VisitOrder(plan, round);
            measureRound(planned.order().stream().filter(group::contains).toList());
        }
    }

    private void measureRound(List<Integer> numbers) throws IOException, InterruptedException {
        List<Integer> remaining = new ArrayList<>(numbers);
        while (!remaining.isEmpty()) {
            undisturbed.clear();
            try {
                openAll(remaining);
                visitAll(remaining);
                endAll(remaining);
            } catch (ProcessGroup.CrashException e) {
                remaining.remove((Integer) current);
                open.clear();
                fork.restart();
                callbacks.crashed(trial(current), round, e);
                for (int number : List.copyOf(remaining)) {
                    Optional<String> refusal = callbacks.refusal(trial(number));
                    if (refusal.isPresent()) {
                        remaining.remove((Integer) number);
                        callbacks.recordLost(trial(number), round, refusal.get());
                    }
                }
            }
        }
    }

    private Trial trial(int number) {
        return plan.trials().get(number).trial();
    }

    private ForkMessage ask(int number, ForkOrder order)
            throws ProcessGroup.CrashException, IOException, InterruptedException {
        current = number;
        return fork.group(plan.trials().get(number)).ask(order);
    }

    private void openAll(List<Integer> remaining)
            throws ProcessGroup.CrashException, IOException, InterruptedException {
        List<Integer> unopened =
                remaining.stream().filter(number -> !open.containsKey(number)).toList();
        for (int number : unopened) {
            Optional<String> refusal = callbacks.refusal(trial(number));
            if (refusal.isPresent()) {
                remaining.remove((Integer) number);
                callbacks.recordLost(trial(number), round, refusal.get());
                continue;
            }
            try {
                callbacks.interference().await(trial(number));
                callbacks.start(trial(number));
                if (ask(number, fork.opening(number, round)) instanceof ForkMessage.Finished end) {
                    finish(remaining, number, end.run());
                } else {
                    open.put(number, new VisitHistory());
                }
            } catch (Fork.NotReadyException e) {
                remaining.remove((Integer) number);
                callbacks.recordNotMeasured(trial(number), round, e);
            }
        }
        if (!unopened.isEmpty()) {
            warmUpAll(remaining);
        }
    }

    /**
     * Runs the trials in turns until their code has been compiled: code that one method used is compiled again when
     * others use it too. For each trial, this takes at most {@value #MAX_WARM_UPS} times as long as a warm-up may.
     */
    private void warmUpAll(List<Integer> remaining)
            throws ProcessGroup.CrashException, IOException, InterruptedException {
        long nanos = plan.visits().orElseThrow().length().toNanos();
        boolean isCompiling = true;
        for (int visitRound = 0;
                isCompiling && visitRound < MAX_WARM_UPS * plan.warmUp().toNanos() / nanos;
                visitRound++) {
            double compiling = 0;
            List<Integer> numbers =
                    order.of(visitRound, remaining).stream().distinct().toList();
            for (int number : numbers) {
                callbacks.interference().await(trial(number));
                ForkMessage answer = ask(number, new ForkOrder.KeepWarm(number, nanos));
                if (answer instanceof ForkMessage.Finished end) {
                    finish(remaining, number, end.run());
                } else if (answer instanceof ForkMessage.Visited visited) {
                    compiling += visited.compiling();
                }
            }
            isCompiling = compiling > RunIn.MAX_COMPILING * numbers.size();
        }
    }

    private void visitAll(List<Integer> remaining)
            throws ProcessGroup.CrashException, IOException, InterruptedException {
        int rounds = plan.visits().orElseThrow().count();
        for (int visitRound = 0; visitRound < rounds; visitRound++) {
            for (int number : order.of(visitRound, remaining)) {
                if (open.containsKey(number)) {
                    visit(remaining, number, visitRound);
                }
            }
            callbacks.interference().visited(remaining.stream().map(this::trial).toList(), visitRound + 1, rounds);
        }
    }

    /** A disturbed visit does not count, and is repeated, up to {@link Fork#MAX_ATTEMPTS} visits. */
    private void visit(List<Integer> remaining, int number, int visitRound)
            throws ProcessGroup.CrashException, IOException, InterruptedException {
        VisitHistory history = open.get(number);
        for (int attempt = 1; attempt <= Fork.MAX_ATTEMPTS; attempt++) {
            callbacks.interference().await(trial(number));
            ForkMessage answer = ask(
                    number,
                    new ForkOrder.MeasureVisit(
                            number,
                            visitRound,
                            plan.visits().orElseThrow().length().toNanos()));
            if (answer instanceof ForkMessage.Finished end) {
                finish(remaining, number, end.run());
                return;
            }
            for (Incident incident : callbacks.interference().incidents()) {
                history.incidents.add(incident.what());
            }
            Optional<String> disturbance =
                    callbacks.interference().disturbance().or(() -> compiling(answer));
            disturbance.ifPresent(why -> history.disturbed.put(history.visits, why));
            history.visits++;
            if (disturbance.isEmpty()) {
                undisturbed.add(new Undisturbed(number, history.visits - 1));
                return;
            }
        }
    }

    private static Optional<String> compiling(ForkMessage answer) {
        return answer instanceof ForkMessage.Visited visited && visited.compiling() > RunIn.MAX_COMPILING
                ? Optional.of("the JVM was compiling")
                : Optional.empty();
    }

    /** False for a trial with its own table, which is created for each round. */
    private boolean isShared(int number) {
        return trial(number).design().get(Workload.FACTOR).start() == Workload.InitialTable.SHARED;
    }

    private void endAll(List<Integer> remaining) throws ProcessGroup.CrashException, IOException, InterruptedException {
        Map<Integer, TrialRun> ended = new LinkedHashMap<>();
        for (int number : remaining) {
            ForkOrder order = isVisitedAgain(number) ? new ForkOrder.Results(number) : new ForkOrder.Finish(number);
            if (ask(number, order) instanceof ForkMessage.Finished end) {
                ended.put(number, end.run());
            }
        }
        excludeSlumps(ended);
        ended.forEach((number, run) -> {
            finish(remaining, number, run);
            if (isVisitedAgain(number)) {
                open.put(number, new VisitHistory());
            }
        });
    }

    private boolean isVisitedAgain(int number) {
        return isShared(number)
                && plan.rounds().stream()
                        .dropWhile(planned -> planned.round() != round)
                        .skip(1)
                        .anyMatch(later -> later.order().contains(number));
    }

    private void excludeSlumps(Map<Integer, TrialRun> ended) {
        List<Slumps.RatedVisit> visits = new ArrayList<>();
        for (Undisturbed each : undisturbed) {
            VisitHistory history = open.get(each.trial());
            Optional<Visits> figures =
                    Optional.ofNullable(ended.get(each.trial())).flatMap(TrialRun::visits);
            if (history != null && figures.isPresent()) {
                // when later visits settled for longer, the first are not in the figures
                int place = each.visit() - (history.visits - figures.get().count());
                if (place >= 0) {
                    visits.add(new Slumps.RatedVisit(
                            each.trial(),
                            each.visit(),
                            figures.get().operationsPerS().get(place)));
                }
            }
        }
        slumps.find(visits)
                .forEach(visit -> open.get(visit.trial())
                        .disturbed
                        .put(visit.number(), "several trials in a row were at less than half of their usual rate"));
    }

    private void finish(List<Integer> remaining, int number, TrialRun run) {
        remaining.remove((Integer) number);
        VisitHistory history = open.remove(number);
        TrialRun sinceLast = history == null ? run : run.without(history.visits, history.disturbed);
        if (history != null) {
            for (String incident : history.incidents) {
                sinceLast = sinceLast.flagged(Sample.DEGRADED, incident + " while it was visited");
            }
        }
        callbacks.finish(plan.trials().get(number), round, sinceLast);
    }
}
