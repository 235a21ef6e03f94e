package dev.blobmark.mysql.admission;

import java.util.Objects;
import java.util.Optional;

/**
 * The load of a server with which work continues.
 *
 * @param max load above which work pauses. If empty, {@link LoadLimits#USUAL} on a server that Blobmark did not start,
 *     and no limit on others
 * @param critical load above which work ends
 */
public record ToleratedLoad(Optional<LoadLimits> max, LoadLimits critical) {

    public static final ToleratedLoad DEFAULT = new ToleratedLoad(Optional.empty(), LoadLimits.NONE);

    public ToleratedLoad {
        Objects.requireNonNull(max, "max");
        Objects.requireNonNull(critical, "critical");
    }
}
