package dev.blobmark.lab.fork;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A JVM that a {@link Launch} has started, on this machine or on another. It is sent lines, and sends lines. */
public interface StartedJvm {

    /** @throws IOException if the line cannot be sent, such as to a JVM that has ended */
    void send(String line) throws IOException;

    /** Ends what it is sent, which it takes for the end of its parent. */
    void endInput() throws IOException;

    /** The lines that it sends. */
    BufferedReader lines();

    /** A number that no other JVM of the launch has; that of its process if it is on this machine. */
    long pid();

    /** Waits for its end, and returns its exit code. */
    int waitFor() throws InterruptedException;

    /** @return whether it has ended */
    boolean waitFor(long time, TimeUnit unit) throws InterruptedException;

    /** @throws IllegalThreadStateException if it has not ended */
    int exitCode();

    /** Kills it, and does not wait for its end. */
    void kill();

    /** The other machine, in words; empty for this one. */
    default Optional<String> host() {
        return Optional.empty();
    }

    /** Why no more is heard of one on another machine, which may not have ended; empty if it has ended by itself. */
    default Optional<String> lost() {
        return Optional.empty();
    }

    /** One on this machine. */
    static StartedJvm of(Process process) {
        Writer orders = process.outputWriter(StandardCharsets.UTF_8);
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        return new StartedJvm() {
            @Override
            public void send(String line) throws IOException {
                orders.write(line + "\n");
                orders.flush();
            }

            @Override
            public void endInput() throws IOException {
                orders.close();
            }

            @Override
            public BufferedReader lines() {
                return lines;
            }

            @Override
            public long pid() {
                return process.pid();
            }

            @Override
            public int waitFor() throws InterruptedException {
                return process.waitFor();
            }

            @Override
            public boolean waitFor(long time, TimeUnit unit) throws InterruptedException {
                return process.waitFor(time, unit);
            }

            @Override
            public int exitCode() {
                return process.exitValue();
            }

            @Override
            public void kill() {
                process.destroyForcibly();
            }
        };
    }
}
