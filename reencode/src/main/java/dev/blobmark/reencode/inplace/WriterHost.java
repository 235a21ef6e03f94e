package dev.blobmark.reencode.inplace;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/** A process on another host that runs a {@link WriterProcess}. */
public interface WriterHost extends Closeable {

    /** Starts such processes. */
    interface Starter {
        WriterHost start() throws IOException;
    }

    /** Sends a line to the process. Any thread may call it. */
    void send(String line) throws IOException;

    /** The next line of the process; empty after the last one. */
    Optional<String> receive() throws IOException;

    /** Why the process may have ended. */
    String lastWords();

    /** Ends the process at once. Any thread may call it. */
    void kill();
}
