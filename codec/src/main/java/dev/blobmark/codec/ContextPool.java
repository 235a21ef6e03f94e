package dev.blobmark.codec;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The native contexts of one codec: at most {@link #MOST} of them, each used by one call at a time.
 *
 * <p>Contexts of zstd and lz4 must never be shared: two threads in one context decode wrong bytes or crash the JVM.
 * They have no finalizer either, so a context that is merely dropped leaks its native memory.
 *
 * <p>A call usually finds the context that its thread used last, without a lock. Where all contexts are in use, it
 * waits for one; a virtual thread that waits lets go of its carrier, and an interrupt does not end the wait. There are
 * more contexts than processors, and a call does not block while it has one; so a wait is short. No thread keeps
 * anything of a pool, and a pool has no thread: else the class loader of an application could not be freed. So contexts
 * of a pool that is no longer reachable are closed when a context is made in another pool.
 */
final class ContextPool<T extends AutoCloseable> {

    /** Two for each processor, at least 4, rounded up to a power of two. */
    static final int MOST = powerOfTwo(Math.max(4, 2 * Runtime.getRuntime().availableProcessors()));

    private static final Set<Handle> LIVE = ConcurrentHashMap.newKeySet();
    private static final ReferenceQueue<ContextPool<?>> UNREACHABLE = new ReferenceQueue<>();

    private final Supplier<T> maker;
    private final Contexts<T> contexts = new Contexts<>();

    ContextPool(Supplier<T> maker) {
        this.maker = maker;
        LIVE.add(new Handle(this, contexts));
    }

    /** A context that no other call has until it is closed, in the same call. Nothing is allocated for it. */
    LeasedContext<T> take() {
        LeasedContext<T> lease = contexts.take(maker);
        lease.pool = this;
        return lease;
    }

    /** A context while a call uses it. Calls reset it before they use it, so it may be used after any exception. */
    static final class LeasedContext<T extends AutoCloseable> implements AutoCloseable {

        final T context;
        private final Contexts<T> home;

        /** Reachable while a call has one of its contexts, and not because of a context that lies idle. */
        private ContextPool<T> pool;

        private LeasedContext(T context, Contexts<T> home) {
            this.context = context;
            this.home = home;
        }

        @Override
        public void close() {
            ContextPool<T> user = pool;
            pool = null;
            home.give(this);
            Reference.reachabilityFence(user);
        }
    }

    /** Closes the contexts of all pools, except those that a call uses. */
    static void releaseAll() {
        closeUnreachable();
        LIVE.forEach(handle -> handle.contexts.release());
    }

    private static void closeUnreachable() {
        for (Reference<?> next = UNREACHABLE.poll(); next != null; next = UNREACHABLE.poll()) {
            Handle handle = (Handle) next;
            LIVE.remove(handle);
            handle.contexts.release();
        }
    }

    private static int powerOfTwo(int atLeast) {
        return Integer.highestOneBit(atLeast - 1) << 1;
    }

    /** What is left of a pool that is not reachable. */
    private static final class Handle extends PhantomReference<ContextPool<?>> {
        final Contexts<?> contexts;

        Handle(ContextPool<?> pool, Contexts<?> contexts) {
            super(pool, UNREACHABLE);
            this.contexts = contexts;
        }
    }

    /** Contexts that no call uses lie in slots. There are as many slots as contexts, so a free one is always found. */
    private static final class Contexts<T extends AutoCloseable> {

        private static final int APART = 16; // references, 64 bytes or more: a cache line for each slot

        private final AtomicReferenceArray<LeasedContext<T>> slots = new AtomicReferenceArray<>(MOST * APART);
        private final AtomicInteger made = new AtomicInteger();
        private final AtomicInteger waiting = new AtomicInteger();
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();

        LeasedContext<T> take(Supplier<T> maker) {
            LeasedContext<T> lease = slots.getAndSet(slot(home()), null);
            return lease != null ? lease : takeElsewhere(maker);
        }

        private LeasedContext<T> takeElsewhere(Supplier<T> maker) {
            LeasedContext<T> lease = takeOrMake(maker);
            if (lease != null) return lease;
            lock.lock();
            waiting.incrementAndGet(); // before the slots are read again: who gives reads it after its write
            try {
                for (lease = takeOrMake(maker); lease == null; lease = takeOrMake(maker)) {
                    changed.awaitUninterruptibly();
                }
                return lease;
            } finally {
                waiting.decrementAndGet();
                lock.unlock();
            }
        }

        /** Null if all contexts are in use. */
        private LeasedContext<T> takeOrMake(Supplier<T> maker) {
            int home = home();
            for (int i = home; i < home + MOST; i++) {
                LeasedContext<T> lease = slots.get(slot(i)) == null ? null : slots.getAndSet(slot(i), null);
                if (lease != null) return lease;
            }
            if (made.getAndUpdate(count -> Math.min(MOST, count + 1)) == MOST) return null;
            boolean isMade = false;
            try {
                closeUnreachable();
                LeasedContext<T> lease = new LeasedContext<>(maker.get(), this);
                isMade = true;
                return lease;
            } finally {
                if (!isMade) gone();
            }
        }

        void give(LeasedContext<T> lease) {
            int i = home();
            while (!slots.compareAndSet(slot(i), null, lease)) i++;
            wakeOne();
        }

        private void close(T context) {
            try {
                context.close();
            } catch (Exception e) {
                throw new IllegalStateException("closing a native context", e);
            } finally {
                gone();
            }
        }

        void release() {
            for (int i = 0; i < MOST; i++) {
                LeasedContext<T> lease = slots.getAndSet(slot(i), null);
                if (lease != null) close(lease.context);
            }
        }

        private void gone() {
            made.decrementAndGet();
            wakeOne();
        }

        private void wakeOne() {
            if (waiting.get() == 0) return;
            lock.lock();
            try {
                changed.signal();
            } finally {
                lock.unlock();
            }
        }

        private static int home() {
            return (int) Thread.currentThread().getId() & (MOST - 1);
        }

        private static int slot(int i) {
            return (i & (MOST - 1)) * APART;
        }
    }
}
