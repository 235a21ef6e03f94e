package dev.blobmark.value.springboot;

import dev.blobmark.value.ValueFormat;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Starts to write when all beans are there. While a reader prevents it, the application runs, stores values in the
 * legacy way, and tries again every ten seconds, unless it stops writing itself, also before this begins.
 */
final class ValueWriting implements SmartInitializingSingleton, DisposableBean {

    private static final long AGAIN_MILLIS = 10_000;

    /** How often a format of the application had been stopped when the last context with it was closed. */
    private static final Map<ValueFormat, Integer> BY_CONTEXTS = Collections.synchronizedMap(new WeakHashMap<>());

    private final ValueFormat format;
    private final long againMillis;
    private final ScheduledExecutorService trying = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "blobmark-start-writing");
        thread.setDaemon(true);
        return thread;
    });
    private final int stopsBefore;
    private volatile Optional<String> preventedBy = Optional.empty();

    ValueWriting(ValueFormat format) {
        this(format, AGAIN_MILLIS);
    }

    /** @param againMillis between two tries */
    ValueWriting(ValueFormat format, long againMillis) {
        this.format = format;
        this.againMillis = againMillis;
        stopsBefore = BY_CONTEXTS.getOrDefault(format, 0);
    }

    @Override
    public void afterSingletonsInstantiated() {
        start();
    }

    private void start() {
        if (isStopped()) {
            return;
        }
        try {
            format.startWriting();
            preventedBy = Optional.empty();
            if (isStopped()) { // between the two calls above
                format.stopWriting();
            }
        } catch (RuntimeException e) { // may be over in ten seconds
            prevented(e.getMessage());
        } catch (Error e) { // such as no memory for a thread
            prevented(e.toString());
        }
    }

    private boolean isStopped() {
        if (format.stops() == stopsBefore) {
            return false;
        }
        preventedBy = Optional.of("the application has stopped writing");
        return true;
    }

    boolean isOf(ValueFormat other) {
        return format == other;
    }

    private void prevented(String why) {
        if (preventedBy.isEmpty()) {
            System.getLogger(ValueWriting.class.getName())
                    .log(System.Logger.Level.WARNING, "values are stored in the legacy way: " + why);
        }
        preventedBy = Optional.of(why);
        if (!trying.isShutdown()) {
            trying.schedule(this::start, againMillis, TimeUnit.MILLISECONDS);
        }
    }

    /** Why nothing is written yet; empty once it was started. */
    Optional<String> preventedBy() {
        return preventedBy;
    }

    @Override
    public void destroy() {
        trying.shutdownNow();
        format.stopWriting();
        BY_CONTEXTS.put(format, format.stops());
    }
}
