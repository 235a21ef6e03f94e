package dev.blobmark.lab.measurement;

import java.util.Objects;
import java.util.Optional;

/**
 * What operations of one type gave in a window: all that a {@link Metric} is read from.
 *
 * @param operations those of the type
 * @param resources what the window took, all types of operations together
 * @param disk of the table
 * @param isAll whether there were no operations of other types in the window, so that what it took is theirs alone
 */
public record Measured(Operations operations, Resources resources, DiskSpace disk, boolean isAll) {

    public Measured {
        Objects.requireNonNull(operations, "operations");
        Objects.requireNonNull(resources, "resources");
        Objects.requireNonNull(disk, "disk");
    }

    /** What these operations took; nothing where they shared the window with others. */
    Resources own() {
        return isAll ? resources : Resources.NONE;
    }

    Optional<TimeSpent> time() {
        return operations.time();
    }
}
