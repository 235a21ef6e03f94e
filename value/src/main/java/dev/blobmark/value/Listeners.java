package dev.blobmark.value;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Calls listeners. Nothing that they throw has an effect. */
final class Listeners {

    private final ValueListener[] listeners;

    /** Those that have thrown an exception, which is logged once. */
    private final Set<ValueListener> failed = ConcurrentHashMap.newKeySet();

    Listeners(List<ValueListener> listeners) {
        this.listeners = listeners.toArray(new ValueListener[0]);
    }

    boolean isEmpty() {
        return listeners.length == 0;
    }

    void each(Consumer<ValueListener> call) {
        for (ValueListener listener : listeners) {
            try {
                call.accept(listener);
            } catch (Throwable e) { // also checked exceptions, which other languages do not declare, and a full stack
                log(listener, e);
            }
        }
    }

    /** A logger may fail as well, such as with the stack that was full before. */
    private void log(ValueListener listener, Throwable failure) {
        try {
            if (failed.add(listener)) {
                System.getLogger(Listeners.class.getName())
                        .log(System.Logger.Level.ERROR, "a listener failed; the value is not affected", failure);
            }
        } catch (Throwable e) {
            failed.remove(listener); // so that it is logged at the next time
        }
    }
}
