package dev.blobmark.lab.engine;

import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.Incident;
import dev.blobmark.lab.study.Trial;
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
 * A group of trials in one round of a fork: they are opened one after another, visited in turns, and ended. A trial that fails leaves the others
 * as they are. A JVM that crashes costs the trial that it was in; the others are begun anew without it.
 */
final class VisitedRound {

    private final ForkPlan plan;
    private final int round;
    private final Fork fork;
    private final Fork.Scene scene;
    private final VisitOrder order;

    /** Of the trials that are open, by their numbers. */
    private final Map<Integer, Past> open = new LinkedHashMap<>();

    /** The trial that the JVMs are at. */
    private int current;

    VisitedRound(ForkPlan plan, int round, Fork fork, Fork.Scene scene) {
        this.plan = plan;
        this.round = round;
        this.fork = fork;
        this.scene = scene;
        order = new VisitOrder(plan, round);
    }

    /** What the visits of a trial met. */
    private static final class Past {
        private int visits;

        /** By the numbers of the visits, in which others had a part. */
        private final Map<Integer, String> disturbed = new HashMap<>();

        private final Set<String> incidents = new TreeSet<>();
    }

    /** @param numbers of the trials, in an order that was drawn */
    void measure(List<Integer> numbers) throws IOException, InterruptedException {
        List<Integer> left = new ArrayList<>(numbers);
        while (!left.isEmpty()) {
            try {
                openAll(left);
                visitAll(left);
                finishAll(left);
            } catch (Crew.CrashException e) {
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

    private Optional<TrialRun> ask(int number, ForkOrder order)
            throws Crew.CrashException, IOException, InterruptedException {
        current = number;
        return fork.crew(plan.trials().get(number)).ask(order);
    }

    private void openAll(List<Integer> left) throws Crew.CrashException, IOException, InterruptedException {
        for (int number : List.copyOf(left)) {
            Optional<String> hopeless = scene.hopeless(trial(number));
            if (hopeless.isPresent()) {
                left.remove((Integer) number);
                scene.lose(trial(number), round, hopeless.get());
                continue;
            }
            try {
                scene.calm().await();
                scene.start(trial(number));
                Optional<TrialRun> end = ask(number, fork.opening(number, round));
                if (end.isPresent()) {
                    finish(left, number, end.get());
                } else {
                    open.put(number, new Past());
                }
            } catch (Fork.NotReadyException e) {
                left.remove((Integer) number);
                scene.skip(trial(number), round, e);
            }
        }
    }

    private void visitAll(List<Integer> left) throws Crew.CrashException, IOException, InterruptedException {
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
            throws Crew.CrashException, IOException, InterruptedException {
        Past past = open.get(number);
        for (int attempt = 1; attempt <= Fork.MOST_ATTEMPTS; attempt++) {
            scene.calm().await();
            Optional<TrialRun> end = ask(
                    number,
                    new ForkOrder.Visit(
                            number,
                            visitRound,
                            plan.visits().orElseThrow().length().toNanos()));
            if (end.isPresent()) {
                finish(left, number, end.get());
                return;
            }
            for (Incident incident : scene.calm().incidents()) {
                past.incidents.add(incident.what());
            }
            Optional<String> disturbance = scene.calm().disturbance();
            disturbance.ifPresent(why -> past.disturbed.put(past.visits, why));
            past.visits++;
            if (disturbance.isEmpty()) {
                return;
            }
        }
    }

    private void finishAll(List<Integer> left) throws Crew.CrashException, IOException, InterruptedException {
        for (int number : List.copyOf(left)) {
            TrialRun run = ask(number, new ForkOrder.Finish(number)).orElseThrow();
            finish(left, number, run);
        }
    }

    private void finish(List<Integer> left, int number, TrialRun run) {
        left.remove((Integer) number);
        Past past = open.remove(number);
        TrialRun its = past == null ? run : run.without(past.visits, past.disturbed);
        if (past != null) {
            for (String incident : past.incidents) {
                its = its.flagged(Sample.DEGRADED, incident + " while it was visited");
            }
        }
        scene.finish(plan.trials().get(number), round, its);
    }
}
