package dev.blobmark.lab.conduct;

import dev.blobmark.lab.run.Difference;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What must be as it was for a run to go on. Each difference is shown; none can be overruled, since figures would be mixed. */
final class Resumption {

    /** More of them say no more. */
    private static final int SHOWN = 12;

    private Resumption() {}

    /** The plan, and what bears on results besides study and server. */
    static void requireSame(RunDirectory run, Manifest was, Manifest is) {
        List<Difference> differences = new ArrayList<>(Difference.ofSurroundings(was, is));
        Manifest.Plan before = was.plan();
        Manifest.Plan now = is.plan();
        before.trials().stream()
                .filter(trial -> !now.trials().contains(trial))
                .forEach(trial -> differences.add(new Difference("plan.trials." + trial, "planned", "not planned")));
        now.trials().stream()
                .filter(trial -> !before.trials().contains(trial))
                .forEach(trial -> differences.add(new Difference("plan.trials." + trial, "not planned", "planned")));
        if (before.blocks() != now.blocks()) {
            differences.add(
                    new Difference("plan.blocks", Integer.toString(before.blocks()), Integer.toString(now.blocks())));
        }
        refuse(run, differences, "go on where and with what it began, or run the study anew");
    }

    static void requireSame(RunDirectory run, String name, Manifest.MeasuredServer was, Manifest.MeasuredServer is) {
        refuse(
                run,
                Difference.ofServers(name, was, is),
                "name the server that it began with by --server, or run the study anew");
    }

    static void requireSame(RunDirectory run, Manifest.MeasuredDataset was, Manifest.MeasuredDataset is) {
        List<Difference> differences = was.digest().equals(is.digest())
                ? List.of()
                : List.of(new Difference("datasets." + was.id() + ".digest", was.digest(), is.digest()));
        refuse(run, differences, "put the values back as they were, or run the study anew");
    }

    private static void refuse(RunDirectory run, List<Difference> differences, String mend) {
        if (!differences.isEmpty()) {
            throw new RunException(
                    run.path().toString(),
                    "the run cannot go on, since something has changed:\n  "
                            + differences.stream()
                                    .limit(SHOWN)
                                    .map(Difference::toString)
                                    .collect(Collectors.joining("\n  "))
                            + (differences.size() > SHOWN ? "\n  and " + (differences.size() - SHOWN) + " more" : ""),
                    mend);
        }
    }
}
