package dev.blobmark.lab.machine;

import java.util.Objects;

/**
 * What a run is to do against noise.
 *
 * @param keepAwake whether processors are kept out of idle, see {@link KeepAwake}
 */
public record Precautions(Pin pin, boolean keepAwake) {

    public static final Precautions NONE = new Precautions(Pin.NONE, false);

    public Precautions {
        Objects.requireNonNull(pin, "pin");
    }

    /**
     * Tries them, before anything else is begun.
     *
     * @throws MachineException if this machine cannot do one of them: the message says why, and what to do
     */
    public void check() {
        pin.check();
        if (keepAwake) {
            KeepAwake.check(SystemTree.HERE);
        }
    }
}
