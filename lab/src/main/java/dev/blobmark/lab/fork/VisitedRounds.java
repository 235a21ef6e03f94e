package dev.blobmark.lab.fork;

import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Visits;
import dev.blobmark.lab.server.Incident;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.workload.Workload;
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
 * A group of trials in the rounds of a fork: they are opened one after another, visited in turns, and stay open until the last round is over. A trial that
 * fails leaves the others as they are. A JVM that crashes costs the trial that it was in; what the others have given in that round is begun anew without it.
 */
final class VisitedRounds {

    /**
     * A visit does not count in which the JVM's compilers took more than this part of a processor. In a JVM that has gone on for some seconds they
     * take a tenth of that; while they are at work they take half of it and more.
     */
    private static final double MOST_COMPILING = 0.05;

    private static final int MOST_WARM_UPS = 4;

    private final ForkPlan plan;
    private final Fork fork;
    private final Fork.Scene scene;

    /** Of the trials that are open, by their numbers. */
    private final Map<Integer, Past> open = new LinkedHashMap<>();

    private final Slumps slumps = new Slumps();

    /** The visits of the round that nothing has disturbed, in their order in time. */
    private final List<Undisturbed> undisturbed = new ArrayList<>();

    /** The trial that the JVMs are at. */
    private int current;

    private int round;
    private VisitOrder order;

    VisitedRounds(ForkPlan plan, Fork fork, Fork.Scene scene) {
        this.plan = plan;
        this.fork = fork;
        this.scene = scene;
    }

    /**
     * A visit that nothing has disturbed.
     *
     * @param trial its number
     * @param visit its number, of those of the trial
     */
    private record Undisturbed(int trial, int visit) {}

    /** What the visits of a trial met. */
    private static final class Past {
        private int visits;

        /** By the numbers of the visits, in which others had a part. */
        private final Map<Integer, String> disturbed = new HashMap<>();

        private final Set<String> incidents = new TreeSet<>();
    }

    /** @param group the trials, by their numbers */
    void measure(List<Integer> group) throws IOException, InterruptedException {
        for (ForkPlan.PlannedRound planned : plan.rounds()) {
            round = planned.round();
            order = new VisitOrder(plan, round);
            measureRound(planned.order().stream().filter(group::contains).toList());
        }
    }

    private void measureRound(List<Integer> numbers) throws IOException, InterruptedException {
        List<Integer> left = new ArrayList<>(numbers);
        while (!left.isEmpty()) {
            undisturbed.clear();
            try {
                openAll(left);
                visitAll(left);
                endAll(left);
            } catch (ProcessGroup.CrashException e) {
                left.remove((Integer) current);
                open.clear();
                fork.restart();
                scene.crashed(trial(current), round, e);
                for (int number : List.copyOf(left)) {
                    Optional<String> hopeless = scene.hopeless(trial(number));
                    if (hopeless.isPresent()) {
                        left.remove((Integer) number);
                        scene.lose(trial(number), round, hopeless.get());
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
        return fork.crew(plan.trials().get(number)).ask(order);
    }

    private void openAll(List<Integer> left) throws ProcessGroup.CrashException, IOException, InterruptedException {
        List<Integer> closed =
                left.stream().filter(number -> !open.containsKey(number)).toList();
        for (int number : closed) {
            Optional<String> hopeless = scene.hopeless(trial(number));
            if (hopeless.isPresent()) {
                left.remove((Integer) number);
                scene.lose(trial(number), round, hopeless.get());
                continue;
            }
            try {
                scene.calm().await(trial(number));
                scene.start(trial(number));
                if (ask(number, fork.opening(number, round)) instanceof ForkMessage.Finished end) {
                    finish(left, number, end.run());
                } else {
                    open.put(number, new Past());
                }
            } catch (Fork.NotReadyException e) {
                left.remove((Integer) number);
                scene.skip(trial(number), round, e);
            }
        }
        if (!closed.isEmpty()) {
            warmUpAll(left);
        }
    }

    /**
     * Goes on with the trials in turns until what they run through has been compiled: code that served one method is compiled anew when
     * others use it too. At most {@value #MOST_WARM_UPS} times as long, for each trial, as a warm-up may take.
     */
    private void warmUpAll(List<Integer> left) throws ProcessGroup.CrashException, IOException, InterruptedException {
        long nanos = plan.visits().orElseThrow().length().toNanos();
        boolean isCompiling = true;
        for (int visitRound = 0;
                isCompiling && visitRound < MOST_WARM_UPS * plan.warmUp().toNanos() / nanos;
                visitRound++) {
            double compiling = 0;
            List<Integer> numbers =
                    order.of(visitRound, left).stream().distinct().toList();
            for (int number : numbers) {
                scene.calm().await(trial(number));
                ForkMessage said = ask(number, new ForkOrder.WarmUp(number, nanos));
                if (said instanceof ForkMessage.Finished end) {
                    finish(left, number, end.run());
                } else if (said instanceof ForkMessage.Visited visited) {
                    compiling += visited.compiling();
                }
            }
            isCompiling = compiling > MOST_COMPILING * numbers.size();
        }
    }

    private void visitAll(List<Integer> left) throws ProcessGroup.CrashException, IOException, InterruptedException {
        int rounds = plan.visits().orElseThrow().count();
        for (int visitRound = 0; visitRound < rounds; visitRound++) {
            for (int number : order.of(visitRound, left)) {
                if (open.containsKey(number)) {
                    visit(left, number, visitRound);
                }
            }
            scene.calm().visited(left.stream().map(this::trial).toList(), visitRound + 1, rounds);
        }
    }

    /** A visit that was disturbed does not count, and is repeated a few times at most. */
    private void visit(List<Integer> left, int number, int visitRound)
            throws ProcessGroup.CrashException, IOException, InterruptedException {
        Past past = open.get(number);
        for (int attempt = 1; attempt <= Fork.MOST_ATTEMPTS; attempt++) {
            scene.calm().await(trial(number));
            ForkMessage said = ask(
                    number,
                    new ForkOrder.Visit(
                            number,
                            visitRound,
                            plan.visits().orElseThrow().length().toNanos()));
            if (said instanceof ForkMessage.Finished end) {
                finish(left, number, end.run());
                return;
            }
            for (Incident incident : scene.calm().incidents()) {
                past.incidents.add(incident.what());
            }
            Optional<String> disturbance = scene.calm().disturbance().or(() -> compiling(said));
            disturbance.ifPresent(why -> past.disturbed.put(past.visits, why));
            past.visits++;
            if (disturbance.isEmpty()) {
                undisturbed.add(new Undisturbed(number, past.visits - 1));
                return;
            }
        }
    }

    private static Optional<String> compiling(ForkMessage said) {
        return said instanceof ForkMessage.Visited visited && visited.compiling() > MOST_COMPILING
                ? Optional.of("the JVM was compiling")
                : Optional.empty();
    }

    /** A table that is a trial's own is made for each round. */
    private boolean isShared(int number) {
        return trial(number).design().get(Workload.FACTOR).start() == Workload.Start.SHARED;
    }

    private void endAll(List<Integer> left) throws ProcessGroup.CrashException, IOException, InterruptedException {
        Map<Integer, TrialRun> ended = new LinkedHashMap<>();
        for (int number : left) {
            ForkOrder order = goesOn(number) ? new ForkOrder.Account(number) : new ForkOrder.Finish(number);
            if (ask(number, order) instanceof ForkMessage.Finished end) {
                ended.put(number, end.run());
            }
        }
        leaveOutSlumps(ended);
        ended.forEach((number, run) -> {
            finish(left, number, run);
            if (goesOn(number)) {
                open.put(number, new Past());
            }
        });
    }

    private boolean goesOn(int number) {
        return isShared(number)
                && plan.rounds().stream()
                        .dropWhile(planned -> planned.round() != round)
                        .skip(1)
                        .anyMatch(later -> later.order().contains(number));
    }

    private void leaveOutSlumps(Map<Integer, TrialRun> ended) {
        List<Slumps.Visit> visits = new ArrayList<>();
        for (Undisturbed each : undisturbed) {
            Past past = open.get(each.trial());
            Optional<Visits> figures =
                    Optional.ofNullable(ended.get(each.trial())).flatMap(TrialRun::visits);
            if (past != null && figures.isPresent()) {
                // the first are gone where later ones settled for longer
                int place = each.visit() - (past.visits - figures.get().count());
                if (place >= 0) {
                    visits.add(new Slumps.Visit(
                            each.trial(),
                            each.visit(),
                            figures.get().operationsPerS().get(place)));
                }
            }
        }
        slumps.in(visits)
                .forEach(visit -> open.get(visit.trial())
                        .disturbed
                        .put(visit.number(), "several trials in a row were at less than half of their usual rate"));
    }

    private void finish(List<Integer> left, int number, TrialRun run) {
        left.remove((Integer) number);
        Past past = open.remove(number);
        TrialRun sinceLast = past == null ? run : run.without(past.visits, past.disturbed);
        if (past != null) {
            for (String incident : past.incidents) {
                sinceLast = sinceLast.flagged(Sample.DEGRADED, incident + " while it was visited");
            }
        }
        scene.finish(plan.trials().get(number), round, sinceLast);
    }
}
