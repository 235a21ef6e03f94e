package dev.blobmark.lab.engine;

import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What the compilers of this JVM have used of its processors. They compile beside the threads that are measured: where both are held to one
 * processor, a fetch of 4 KB takes half as long again while they do.
 *
 * <p>On Linux it is the CPU time of their threads (schedstat, in proc(5)), as far as they are still there; elsewhere the JVM's own account, which has a
 * compilation when it has ended.
 */
public final class Compilation {

    /** Begins the name of a thread, as the kernel has it. */
    private static final Set<String> COMPILERS = Set.of("C1 Compiler", "C2 Compiler");

    private static final Path THREADS = Path.of("/proc/self/task");

    /** By the number of the thread. */
    private final Map<String, Boolean> isCompiler = new HashMap<>();

    /** Until now. */
    public long nanos() {
        String[] threads = THREADS.toFile().list();
        if (threads == null) {
            CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
            return compiler == null ? 0 : TimeUnit.MILLISECONDS.toNanos(compiler.getTotalCompilationTime());
        }
        isCompiler.keySet().retainAll(Set.of(threads));
        long all = 0;
        for (String thread : threads) {
            if (isCompiler.computeIfAbsent(thread, Compilation::compiles)) {
                all += cpuNanos(thread);
            }
        }
        return all;
    }

    private static boolean compiles(String thread) {
        String name = text(thread, "comm");
        return COMPILERS.stream().anyMatch(name::startsWith);
    }

    private static long cpuNanos(String thread) {
        String nanos = text(thread, "schedstat").split(" ")[0];
        return nanos.isEmpty() ? 0 : Long.parseLong(nanos);
    }

    /** Empty where the thread has ended. */
    private static String text(String thread, String file) {
        try {
            return Files.readString(THREADS.resolve(thread).resolve(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
