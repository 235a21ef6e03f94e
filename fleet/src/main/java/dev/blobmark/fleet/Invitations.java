package dev.blobmark.fleet;

import dev.blobmark.fleet.host.ViolationException;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Keys of hosts that Spark has passed on. Each admits one connection, and there is a number of them at most. */
final class Invitations {

    /** Spark passes a key on before its host connects, but another thread may be slower to receive it. */
    private static final int PATIENCE_MILLIS = 5_000;

    private final int most;
    private final Consumer<String> notices;
    private final Set<String> open = new HashSet<>();
    private int number;

    /** @param notices receives a line for each key too many */
    Invitations(int most, Consumer<String> notices) {
        this.most = most;
        this.notices = notices;
    }

    synchronized void add(String key) {
        if (number == most) {
            notices.accept("refused the key of a further host: there have been " + most);
            return;
        }
        number++;
        open.add(key);
        notifyAll();
    }

    /** @throws ViolationException if the key was not passed on, or has been used */
    synchronized void use(String key) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (!open.remove(key)) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new ViolationException("its key was not passed on by Spark: it is not a host of this run");
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while a host joined", e);
            }
        }
    }
}
