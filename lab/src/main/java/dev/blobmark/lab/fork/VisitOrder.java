package dev.blobmark.lab.fork;

import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.plan.Seeds;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The order in which trials are visited. Rounds come in pairs; the second reverses the order of the first. Trials of
 * one condition follow each other, because they are compared with each other. Conditions, and the trials of each, are
 * shuffled for each pair.
 */
final class VisitOrder {

    private final ForkPlan plan;
    private final int round;

    /** @param round of the fork that the visits belong to */
    VisitOrder(ForkPlan plan, int round) {
        this.plan = plan;
        this.round = round;
    }

    /** The numbers of the trials to visit in a round of visits; a trial with several visits occurs several times. */
    List<Integer> of(int visitRound, Collection<Integer> numbers) {
        Random random = new Random(Seeds.mix(plan.seed(), plan.block(), plan.fork(), round, visitRound / 2));
        Map<Object, List<Integer>> byCondition = numbers.stream()
                .collect(Collectors.groupingBy(
                        number -> plan.trials().get(number).trial().condition(),
                        LinkedHashMap::new,
                        Collectors.flatMapping(
                                number -> IntStream.range(
                                                0, plan.trials().get(number).visits())
                                        .mapToObj(again -> number),
                                Collectors.toList())));
        List<List<Integer>> conditions = new ArrayList<>(byCondition.values());
        Collections.shuffle(conditions, random);
        List<Integer> order = new ArrayList<>();
        for (List<Integer> condition : conditions) {
            List<Integer> shuffled = new ArrayList<>(condition);
            Collections.shuffle(shuffled, random);
            order.addAll(shuffled);
        }
        if (visitRound % 2 == 1) {
            Collections.reverse(order);
        }
        return order;
    }
}
