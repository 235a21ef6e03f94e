package dev.blobmark.lab.run;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The state of a run.
 *
 * @param finishedAt when the run ended; empty while it is running
 * @param resumedAt when the run was resumed, each time
 * @param precision reached under each condition, if the schedule asks for one; written at the end of a block
 */
public record Progress(
        Manifest.State state,
        Instant startedAt,
        Optional<Instant> finishedAt,
        List<Instant> resumedAt,
        List<Manifest.ConditionPrecision> precision) {

    public Progress {
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(startedAt, "started_at");
        Objects.requireNonNull(finishedAt, "finished_at");
        resumedAt = List.copyOf(resumedAt);
        precision = List.copyOf(precision);
        if (finishedAt.isPresent() == (state == Manifest.State.RUNNING)) {
            throw new IllegalArgumentException(
                    "progress: there must be a time of the end if the run is not running," + " and only then");
        }
    }

    /** The state of a run at its start. */
    public static Progress startedAt(Instant start) {
        return new Progress(Manifest.State.RUNNING, start, Optional.empty(), List.of(), List.of());
    }

    Progress ended(Manifest.State endState, Instant at) {
        return new Progress(endState, startedAt, Optional.of(at), resumedAt, precision);
    }

    Progress resumed(Instant at) {
        List<Instant> all = new ArrayList<>(resumedAt);
        all.add(at);
        return new Progress(Manifest.State.RUNNING, startedAt, Optional.empty(), all, precision);
    }

    /** Replaces the precision of these conditions. */
    Progress with(List<Manifest.ConditionPrecision> reached) {
        List<Manifest.ConditionPrecision> all = new ArrayList<>(precision);
        all.removeIf(old -> reached.stream().anyMatch(added -> added.condition().equals(old.condition())));
        all.addAll(reached);
        return new Progress(state, startedAt, finishedAt, resumedAt, all);
    }
}
