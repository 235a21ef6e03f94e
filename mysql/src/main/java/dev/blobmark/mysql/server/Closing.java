package dev.blobmark.mysql.server;

import java.util.Collection;
import java.util.function.Consumer;

/** Closes several resources together. */
public final class Closing {

    private Closing() {}

    /**
     * Closes all resources in order, even if some cannot be closed.
     *
     * @param close closes one resource
     * @throws RuntimeException the first failure, with the others suppressed
     */
    public static <T> void all(Collection<T> resources, Consumer<? super T> close) {
        RuntimeException first = null;
        for (T resource : resources) {
            try {
                close.accept(resource);
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
