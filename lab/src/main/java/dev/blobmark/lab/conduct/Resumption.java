package dev.blobmark.lab.conduct;

import dev.blobmark.lab.run.Difference;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunException;
import dev.blobmark.lab.run.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checks that a run is resumed under the conditions it began with. Differences are shown; none can be overruled,
 * because figures of different conditions would be mixed.
 */
final class Resumption {

    /** Differences that are shown. */
    private static final int SHOWN = 12;

    /** Clocks may be set while a run is measured. */
    private static final Duration CLOCKS = Duration.ofMinutes(1);

    private Resumption() {}

    /**
     * All samples of a run.
     *
     * @throws RunException if one of them cannot be a sample of this run: its trial is not in the plan, there are two
     *     of a trial in a round, or it was not measured during the run
     */
    static List<Sample> samples(RunDirectory run) {
        List<Sample> samples = run.samples();
        if (samples.isEmpty()) {
            return samples;
        }
        Manifest manifest = run.manifest();
        Instant earliest = manifest.progress().startedAt().minus(CLOCKS);
        Optional<Instant> latest = manifest.progress().finishedAt().map(end -> end.plus(CLOCKS));
        Set<String> planned = Set.copyOf(manifest.plan().trials());
        Set<List<?>> places = new HashSet<>();
        for (int i = 0; i < samples.size(); i++) {
            Sample sample = samples.get(i);
            String trial = sample.trial().id();
            Instant at = sample.position().startedAt();
            if (!planned.contains(trial)) {
                throw foreign(run, i, "its trial, " + trial + ", is not in the plan of the run");
            }
            if (!places.add(List.of(trial, sample.block(), sample.round()))) {
                throw foreign(
                        run,
                        i,
                        "there is another sample of " + trial + " in block " + sample.block() + " and round "
                                + sample.round());
            }
            if (at.isBefore(earliest) || latest.isPresent() && at.isAfter(latest.get())) {
                throw foreign(run, i, "it was measured at " + at + ", and the run was not running then");
            }
        }
        return samples;
    }

    private static RunException foreign(RunDirectory run, int index, String reason) {
        return new RunException(
                run.path().resolve("samples.jsonl") + ":" + (index + 1),
                "the sample does not belong to manifest.json: " + reason,
                "restore both files from a copy, or run the study again");
    }

    /** Compares the plan, and what affects results besides study and server. */
    static void requireSame(RunDirectory run, Manifest before, Manifest now) {
        List<Difference> differences = new ArrayList<>(Difference.ofSurroundings(before, now));
        Manifest.PlannedSamples recorded = before.plan();
        Manifest.PlannedSamples planned = now.plan();
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
