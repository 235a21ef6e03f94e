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
 * CPU time of this JVM's compilers. They compile while operations are measured: if both are pinned to one processor, a
 * fetch of 4 KB then takes 50 % longer.
 *
 * <p>On Linux, it is the CPU time of the compiler threads that exist (schedstat, in proc(5)). On other systems, it is
 * the JVM's own figure, which includes a compilation when it has ended.
 */
public final class Compilation {

    /** Beginnings of the threads' names in the kernel. */
    private static final Set<String> COMPILERS = Set.of("C1 Compiler", "C2 Compiler");

    private static final Path THREADS = Path.of("/proc/self/task");

    /** By number of the thread. */
    private final Map<String, Boolean> isCompiler = new HashMap<>();

    /** CPU time so far. */
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

    /** Empty if the thread has ended. */
    private static String text(String thread, String file) {
        try {
            return Files.readString(THREADS.resolve(thread).resolve(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
