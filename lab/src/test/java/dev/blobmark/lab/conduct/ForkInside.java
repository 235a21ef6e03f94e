package dev.blobmark.lab.conduct;

import dev.blobmark.lab.fork.ForkWork;
import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.fork.StartedJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What a measuring JVM does, done by a thread of this one: for tests of what is around it, to which its second of
 * starting adds nothing. It ends as a JVM does whose parent is gone.
 */
public final class ForkInside implements StartedJvm {

    /** Of any command. */
    public static final Launch LAUNCH = new Launch() {
        @Override
        public StartedJvm start(Path java, Path directory) throws IOException {
            return new ForkInside();
        }

        @Override
        public List<String> flags() {
            return List.of();
        }

        @Override
        public Launch prefixedBy(List<String> words) {
            return this;
        }
    };

    private final OutputStream orders;
    private final BufferedReader messages;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private ForkInside() throws IOException {
        Pipe in = Pipe.open();
        Pipe out = Pipe.open();
        orders = Channels.newOutputStream(in.sink());
        messages = new BufferedReader(
                new InputStreamReader(Channels.newInputStream(out.source()), StandardCharsets.UTF_8));
        Thread thread = new Thread(
                () -> {
                    try (InputStream ordered = Channels.newInputStream(in.source());
                            OutputStream said = Channels.newOutputStream(out.sink())) {
                        ForkWork.run(ordered, said, () -> {});
                        ended.complete(null);
                    } catch (Throwable e) {
                        ended.completeExceptionally(e);
                    }
                },
                "fork-inside");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void send(String line) throws IOException {
        orders.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        orders.flush();
    }

    @Override
    public void endInput() throws IOException {
        orders.close();
    }

    @Override
    public BufferedReader lines() {
        return messages;
    }

    @Override
    public long pid() {
        return ProcessHandle.current().pid();
    }

    @Override
    public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
        try {
            ended.get(timeout, unit);
            return true;
        } catch (ExecutionException e) {
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    @Override
    public int waitFor() throws InterruptedException {
        waitFor(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        return exitCode();
    }

    @Override
    public int exitCode() {
        if (!ended.isDone()) {
            throw new IllegalThreadStateException("works");
        }
        return ended.isCompletedExceptionally() ? 1 : 0;
    }

    @Override
    public void kill() {
        try {
            orders.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
