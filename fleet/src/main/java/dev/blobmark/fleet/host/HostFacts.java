package dev.blobmark.fleet.host;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a host is.
 *
 * @param name of the host, as it knows itself
 * @param machine equal for tasks under the same kernel; empty if the system has no such number
 * @param cpu name of the processor; empty if the system does not report it
 * @param processors that the JVM of the task takes to be its own; processes that it starts may use more
 * @param machineProcessors of the machine
 * @param memoryBytes that the task may use; in a container, the container's
 * @param jvm name and version
 * @param linkBitsPerS of the fastest network interface; 0 if the system does not state it
 */
public record HostFacts(
        String name,
        String machine,
        String os,
        String kernel,
        String arch,
        String cpu,
        int processors,
        int machineProcessors,
        long memoryBytes,
        String jvm,
        long linkBitsPerS) {

    /** Of its message. */
    static final int MOST_BYTES = 4_096;

    private static final int MOST_CHARACTERS = 200;
    private static final int MOST_PROCESSORS = 1 << 16;

    /** @throws IllegalArgumentException if a figure or a text cannot be true */
    public HostFacts {
        for (String text : List.of(name, machine, os, kernel, arch, cpu, jvm)) {
            if (text.length() > MOST_CHARACTERS || text.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException("a name of a host that is too long or has control characters");
            }
        }
        if (processors < 1
                || machineProcessors < processors
                || machineProcessors > MOST_PROCESSORS
                || memoryBytes < 0
                || linkBitsPerS < 0) {
            throw new IllegalArgumentException("a host with " + processors + " of " + machineProcessors
                    + " processors, " + memoryBytes + " bytes of memory and a network of " + linkBitsPerS + " bit/s");
        }
    }

    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path NAME = Path.of("/proc/sys/kernel/hostname");
    private static final Path CPU = Path.of("/proc/cpuinfo");
    private static final Path STATISTICS = Path.of("/proc/stat");
    private static final Path INTERFACES = Path.of("/sys/class/net");

    /** Those of this machine. */
    public static HostFacts here() throws IOException {
        int processors = Runtime.getRuntime().availableProcessors();
        return new HostFacts(
                shown(hostName()),
                Files.isReadable(BOOT) ? Files.readString(BOOT).strip() : "",
                System.getProperty("os.name"),
                shown(System.getProperty("os.version")),
                System.getProperty("os.arch"),
                shown(nameOfCpu()),
                processors,
                Math.max(processors, processorsInStatistics()),
                ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean os
                        ? os.getTotalMemorySize()
                        : 0,
                shown(System.getProperty("java.vendor") + " " + Runtime.version()),
                link());
    }

    private static String shown(String text) {
        return text.substring(0, Math.min(MOST_CHARACTERS, text.length()));
    }

    /** The program for JVMs of this host. */
    static Path javaHere() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    private static String hostName() throws IOException {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) { // the name of a container is often known to itself only
            return Files.isReadable(NAME) ? Files.readString(NAME).strip() : "";
        }
    }

    private static String nameOfCpu() throws IOException {
        if (!Files.isReadable(CPU)) {
            return "";
        }
        try (Stream<String> lines = Files.lines(CPU)) {
            return lines.map(line -> line.split("\\s*:\\s*", 2))
                    .filter(pair -> pair.length == 2 && pair[0].equals("model name"))
                    .map(pair -> pair[1].strip().replaceAll("\\s+", " "))
                    .findFirst()
                    .orElse("");
        }
    }

    /**
     * 0 if the system does not state them. A JVM counts fewer with {@code ActiveProcessorCount}, or with shares of CPU.
     */
    private static int processorsInStatistics() throws IOException {
        if (!Files.isReadable(STATISTICS)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(STATISTICS)) {
            return (int) lines.filter(line -> line.matches("cpu\\d.*")).count();
        }
    }

    /** Interfaces that are down, and most virtual ones, state no speed. */
    private static long link() throws IOException {
        long fastest = 0;
        if (Files.isDirectory(INTERFACES)) {
            try (DirectoryStream<Path> interfaces = Files.newDirectoryStream(INTERFACES)) {
                for (Path each : interfaces) {
                    try {
                        long megabits = Long.parseLong(
                                Files.readString(each.resolve("speed")).strip());
                        fastest = Math.max(fastest, megabits * 1_000_000);
                    } catch (IOException | NumberFormatException e) {
                        // it states none
                    }
                }
            }
        }
        return fastest;
    }

    void write(DataOutput out) throws IOException {
        out.writeUTF(name);
        out.writeUTF(machine);
        out.writeUTF(os);
        out.writeUTF(kernel);
        out.writeUTF(arch);
        out.writeUTF(cpu);
        out.writeInt(processors);
        out.writeInt(machineProcessors);
        out.writeLong(memoryBytes);
        out.writeUTF(jvm);
        out.writeLong(linkBitsPerS);
    }

    public static HostFacts read(DataInput in) throws IOException {
        return new HostFacts(
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                in.readInt(),
                in.readInt(),
                in.readLong(),
                in.readUTF(),
                in.readLong());
    }
}
