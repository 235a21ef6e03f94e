package dev.blobmark.lab.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The machine of a run, without its name and address.
 *
 * @param os the Java system property {@code os.name}
 * @param kernel version of the operating system's kernel
 * @param arch the Java system property {@code os.arch}
 * @param cpu the processor's name; empty if the system does not report it
 * @param cores processors that this process may use
 * @param memoryBytes memory that this process may use; in a container, the container's
 */
public record Host(String os, String kernel, String arch, Optional<String> cpu, int cores, OptionalLong memoryBytes) {

    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

    public static Host read() {
        return new Host(
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                System.getProperty("os.arch"),
                readCpu(CPU_INFO),
                Runtime.getRuntime().availableProcessors(),
                ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean os
                        ? OptionalLong.of(os.getTotalMemorySize())
                        : OptionalLong.empty());
    }

    /** The name after {@code model name} (x86), {@code Model} (some ARM boards) or {@code cpu} (POWER). */
    static Optional<String> readCpu(Path cpuInfo) {
        try (Stream<String> lines = Files.lines(cpuInfo)) {
            return lines.map(line -> line.split("\\s*:\\s*", 2))
                    .filter(pair -> pair.length == 2 && pair[0].matches("model name|Model|cpu"))
                    .map(pair -> pair[1].strip().replaceAll("\\s+", " "))
                    .filter(name -> !name.isEmpty())
                    .findFirst();
        } catch (IOException | UncheckedIOException e) {
            return Optional.empty();
        }
    }
}
