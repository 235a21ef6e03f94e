package dev.blobmark.lab.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Where and how the calling thread is scheduled, set by the tools of util-linux. Java's platform threads are the kernel's. */
final class ThisThread {

    private ThisThread() {}

    /** @throws MachineException if the tool is missing, or refuses */
    static void pin(int cpu) {
        run(List.of("taskset", "-cp", Integer.toString(cpu), id()));
    }

    /** Makes it run only where nothing else wants to: SCHED_IDLE of sched(7). Needs no rights. */
    static void yieldToAll() {
        run(List.of("chrt", "-i", "-p", "0", id()));
    }

    /** Makes it weigh less than others: nice(1). Needs no rights. */
    static void giveWay(int nice) {
        run(List.of("renice", "-n", Integer.toString(nice), "-p", id()));
    }

    private static String id() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/thread-self"))
                    .getFileName()
                    .toString();
        } catch (IOException | UnsupportedOperationException e) {
            throw new MachineException("this system does not tell a thread its number (/proc/thread-self): " + e, e);
        }
    }

    /** What it prints. */
    static String run(List<String> command) {
        String line = String.join(" ", command);
        try {
            Process tool = Subprocess.of(command).redirectErrorStream(true).start();
            tool.getOutputStream().close();
            String said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            int status = tool.waitFor();
            if (status != 0) {
                throw new MachineException(
                        "'" + line + "' ended with exit status " + status + (said.isEmpty() ? "" : ": " + said));
            }
            return said;
        } catch (IOException e) {
            throw new MachineException(
                    "there is no '" + command.get(0)
                            + "' here: install util-linux, which has it, or leave the option out",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MachineException("interrupted during '" + line + "'", e);
        }
    }
}
