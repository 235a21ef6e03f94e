package dev.blobmark.lab.plan;

import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.workload.Threads;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The factor {@code processes}: the number of JVMs over which a trial's threads are distributed. */
public final class Processes {

    private static final int MAX = 256;

    public static final Factor<Integer> FACTOR = new Factor<>(
                    "processes",
                    Factor.Home.CONDITION,
                    Set.of(),
                    Set.of(),
                    "JVMs over which the threads are distributed",
                    List.of("1", "2"),
                    Optional.of("1"),
                    Processes::parse,
                    Object::toString)
            .withForm(Factor.WHOLE);

    private Processes() {}

    private static int parse(String level) {
        try {
            int processes = Integer.parseInt(level);
            if (processes >= 1 && processes <= MAX) {
                return processes;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException("processes '" + level + "' is not a number between 1 and " + MAX);
    }

    /** What is wrong with levels that leave a process without a thread. */
    static Optional<String> moreThanThreads(Design design) {
        int processes = design.get(FACTOR);
        int threads = design.get(Threads.FACTOR);
        return processes > threads
                ? Optional.of("processes is " + processes + ", but threads " + threads
                        + ", and each process needs one; set threads to " + processes + " or more, or processes to "
                        + threads)
                : Optional.empty();
    }

    /** The number of JVMs that a fork starts for these trials. */
    public static int startedFor(Collection<Trial> trials) {
        Map<Jvm, Integer> most = new HashMap<>();
        trials.forEach(trial ->
                most.merge(trial.design().get(Jvm.FACTOR), trial.design().get(FACTOR), Math::max));
        return most.values().stream().mapToInt(Integer::intValue).sum();
    }
}
