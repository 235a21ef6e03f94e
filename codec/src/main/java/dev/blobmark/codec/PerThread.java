package dev.blobmark.codec;

import java.lang.ref.Cleaner;
import java.util.function.Supplier;

/**
 * One native context per thread: made at the thread's first use, reused by it alone, closed some time after the thread
 * has ended.
 *
 * <p>Contexts of zstd and lz4 must never be shared: two threads in one context decode wrong bytes or crash the JVM.
 * They have no finalizer either, so a context that is merely dropped leaks its native memory. Here the thread's own map
 * holds the only strong reference to {@link Owner}; once the thread is gone, the cleaner closes the context. A virtual
 * thread counts as a thread, so a program with many short virtual threads should call codecs from a pool of platform
 * threads.
 */
final class PerThread<T extends AutoCloseable> {

    private static final Cleaner CLEANER = Cleaner.create();

    private final ThreadLocal<Owner<T>> owners;

    PerThread(Supplier<T> maker) {
        owners = ThreadLocal.withInitial(() -> {
            T context = maker.get();
            Owner<T> owner = new Owner<>(context);
            CLEANER.register(owner, () -> close(context));
            return owner;
        });
    }

    T get() {
        return owners.get().context;
    }

    private static void close(AutoCloseable context) {
        try {
            context.close();
        } catch (Exception e) {
            throw new IllegalStateException("closing a native context", e);
        }
    }

    /** Identity matters, not value: its becoming unreachable is the signal that the thread has ended. */
    private static final class Owner<T> {
        final T context;

        Owner(T context) {
            this.context = context;
        }
    }
}
