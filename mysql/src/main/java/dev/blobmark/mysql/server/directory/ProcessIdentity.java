package dev.blobmark.mysql.server.directory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * One process, distinguished from a later one with the same number.
 *
 * @param started its start time by the system's own count. On Linux: the boot and the clock ticks since then, exact and
 *     independent of clock corrections (proc(5), field 22 of {@code stat}). Elsewhere: milliseconds since 1970
 */
public record ProcessIdentity(long pid, String started) {

    private static final Path PROC = Path.of("/proc");

    public ProcessIdentity {
        Objects.requireNonNull(started, "started");
    }

    /** The process that has this number now; empty if there is none, or only a zombie. */
    public static Optional<ProcessIdentity> of(long pid) {
        if (Files.exists(PROC.resolve("self/stat"))) {
            return onLinux(pid);
        }
        return ProcessHandle.of(pid)
                .filter(ProcessHandle::isAlive)
                .flatMap(process -> process.info().startInstant())
                .map(start -> new ProcessIdentity(pid, Long.toString(start.toEpochMilli())));
    }

    private static Optional<ProcessIdentity> onLinux(long pid) {
        try {
            String boot =
                    Files.readString(PROC.resolve("sys/kernel/random/boot_id")).strip();
            String stat = Files.readString(PROC.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1);
            // the second field is the command in parentheses, which may contain any character; fields 3 to 22 follow
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            boolean dead = fields[0].equals("Z") || fields[0].equals("X");
            return dead ? Optional.empty() : Optional.of(new ProcessIdentity(pid, boot + "/" + fields[19]));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    public boolean isAlive() {
        return of(pid).filter(this::equals).isPresent();
    }
}
