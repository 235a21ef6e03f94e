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
 * In which order trials are visited. Rounds go in pairs, the second in the reverse order of the first. Trials of one condition follow each other,
 * as they are compared with each other; conditions, and the trials of each, are in an order drawn for the pair.
 */
final class VisitOrder {

    private final ForkPlan plan;
    private final int round;

    /** @param round of the fork that the visits belong to */
    VisitOrder(ForkPlan plan, int round) {
        this.plan = plan;
        this.round = round;
    }

    /** The trials to visit in a round of visits, by their numbers; one that is visited several times is there as often. */
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
