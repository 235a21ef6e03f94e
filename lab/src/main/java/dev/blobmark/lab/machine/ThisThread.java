package dev.blobmark.lab.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Sets where and how the calling thread is scheduled, with the tools of util-linux. Java's platform threads are kernel
 * threads.
 */
final class ThisThread {

    private ThisThread() {}

    /** @throws MachineException if the tool is missing or fails */
    static void pin(int cpu) {
        run(List.of("taskset", "-cp", Integer.toString(cpu), id()));
    }

    /**
     * Sets the policy SCHED_IDLE of sched(7). The thread runs only if nothing else wants the processor. Needs no
     * privileges.
     */
    static void yieldToAll() {
        run(List.of("chrt", "-i", "-p", "0", id()));
    }

    /** Raises the nice value, see nice(1), so the thread gets a smaller share. Needs no privileges. */
    static void giveWay(int nice) {
        run(List.of("renice", "-n", Integer.toString(nice), "-p", id()));
    }

    private static String id() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/thread-self"))
                    .getFileName()
                    .toString();
        } catch (IOException | UnsupportedOperationException e) {
            throw new MachineException("cannot read the number of this thread (/proc/thread-self): " + e, e);
        }
    }

    /** Returns the output. */
    static String run(List<String> command) {
        String line = String.join(" ", command);
        try {
            Process tool = Subprocess.of(command).redirectErrorStream(true).start();
            tool.getOutputStream().close();
            String output = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            int status = tool.waitFor();
            if (status != 0) {
                throw new MachineException(
                        "'" + line + "' ended with exit status " + status + (output.isEmpty() ? "" : ": " + output));
            }
            return output;
        } catch (IOException e) {
            throw new MachineException(
                    "cannot start '" + command.get(0) + "': install util-linux, or leave the option out", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MachineException("interrupted during '" + line + "'", e);
        }
    }
}
