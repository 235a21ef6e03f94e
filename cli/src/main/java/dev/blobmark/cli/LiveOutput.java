package dev.blobmark.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** The output of a process that shows every few seconds that it lives, by a line between others. Safe for threads. */
final class LiveOutput extends FilterOutputStream {

    static final int BEAT_SECONDS = 5;

    private static final byte[] BEAT = "alive\n".getBytes(StandardCharsets.UTF_8);

    private boolean isInLine;

    LiveOutput(OutputStream out) {
        super(out);
    }

    /** Begins to write such lines. */
    LiveOutput start() {
        Thread beating = new Thread(this::beat, "alive");
        beating.setDaemon(true);
        beating.start();
        return this;
    }

    private void beat() {
        try {
            while (true) {
                writeBeat();
                TimeUnit.SECONDS.sleep(BEAT_SECONDS);
            }
        } catch (IOException e) {
            // nobody reads it, which the end of the input shows too
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void writeBeat() throws IOException {
        if (!isInLine) {
            out.write(BEAT);
            out.flush();
        }
    }

    @Override
    public synchronized void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) throws IOException {
        if (length > 0) {
            isInLine = bytes[from + length - 1] != '\n';
            out.write(bytes, from, length);
        }
    }
}
