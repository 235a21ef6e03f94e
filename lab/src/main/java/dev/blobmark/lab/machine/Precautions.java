package dev.blobmark.lab.machine;

import java.util.Objects;

/**
 * Measures against noise during a run.
 *
 * @param keepAwake whether processors are kept out of idle states, see {@link KeepAwake}
 */
public record Precautions(Pin pin, boolean keepAwake) {

    public static final Precautions NONE = new Precautions(Pin.NONE, false);

    public Precautions {
        Objects.requireNonNull(pin, "pin");
    }

    /**
     * Tries the precautions, before anything else is started.
     *
     * @throws MachineException if this machine cannot take one of them: the message has the reason and the remedy
     */
    public void check() {
        pin.check();
        if (keepAwake) {
            KeepAwake.check(SystemTree.HERE);
        }
    }
}
