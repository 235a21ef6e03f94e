package dev.blobmark.lab.conduct;

import dev.blobmark.lab.run.Difference;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Checks that a run is resumed under the conditions it began with. Differences are shown; none can be overruled,
 * because figures of different conditions would be mixed.
 */
final class Resumption {

    /** Differences that are shown. */
    private static final int SHOWN = 12;

    private Resumption() {}

    /** Compares the plan, and what affects results besides study and server. */
    static void requireSame(RunDirectory run, Manifest before, Manifest now) {
        List<Difference> differences = new ArrayList<>(Difference.ofSurroundings(before, now));
        Manifest.Plan recorded = before.plan();
        Manifest.Plan planned = now.plan();
        recorded.trials().stream()
                .filter(trial -> !planned.trials().contains(trial))
                .forEach(trial -> differences.add(new Difference("plan.trials." + trial, "planned", "not planned")));
        planned.trials().stream()
                .filter(trial -> !recorded.trials().contains(trial))
                .forEach(trial -> differences.add(new Difference("plan.trials." + trial, "not planned", "planned")));
        if (recorded.blocks() != planned.blocks()) {
            differences.add(new Difference(
                    "plan.blocks", Integer.toString(recorded.blocks()), Integer.toString(planned.blocks())));
        }
        refuse(run, differences, "resume it where it began, with the same programs, or run the study again");
    }

    static void requireSame(
            RunDirectory run, String name, Manifest.MeasuredServer before, Manifest.MeasuredServer now) {
        refuse(
                run,
                Difference.ofServers(name, before, now),
                "give the server that it began with by --server, or run the study again");
    }

    static void requireSame(RunDirectory run, Manifest.MeasuredDataset before, Manifest.MeasuredDataset now) {
        List<Difference> differences = before.digest().equals(now.digest())
                ? List.of()
                : List.of(new Difference("datasets." + before.id() + ".digest", before.digest(), now.digest()));
        refuse(run, differences, "restore the values, or run the study again");
    }

    private static void refuse(RunDirectory run, List<Difference> differences, String remedy) {
        if (!differences.isEmpty()) {
            throw new RunException(
                    run.path().toString(),
                    "the run cannot be resumed, because something has changed:\n  "
                            + differences.stream()
                                    .limit(SHOWN)
                                    .map(Difference::toString)
                                    .collect(Collectors.joining("\n  "))
                            + (differences.size() > SHOWN ? "\n  and " + (differences.size() - SHOWN) + " more" : ""),
                    remedy);
        }
    }
}
