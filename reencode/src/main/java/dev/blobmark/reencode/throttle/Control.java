package dev.blobmark.reencode.throttle;

import dev.blobmark.mysql.admission.ByteAmount;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.failure.StoppedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Pauses, resumes, slows down and ends a change while it works: a file whose presence pauses it, and a Unix socket that
 * takes lines of its owner, such as {@code echo pause | nc -U SOCKET}.
 */
public final class Control implements Signal, AutoCloseable {

    static final String HELP = """
            status                what was done, and why it waits
            pause, resume         wait until resumed
            speed=PERCENT         share of the time in which it works, 1 to 100
            max-binlog-rate=SIZE  bytes of the binary log in a second; 0 for no limit
            stop                  end after this transaction; the same command continues
            help                  these lines
            """;

    private final Optional<Path> pauseFile;
    private final Optional<ControlSocket> socket;
    private final Throttle throttle;
    private final Supplier<String> status;
    private volatile boolean isPaused;
    private volatile boolean isStopped;

    /**
     * @param pauseFile the work waits while it exists
     * @param socket where a {@link ControlSocket} is made
     * @param status what the command answers, on a thread of its own
     * @throws ReencodeException if the socket cannot be used, see {@link ControlSocket}
     */
    public Control(Optional<Path> pauseFile, Optional<Path> socket, Throttle throttle, Supplier<String> status)
            throws IOException {
        this.pauseFile = pauseFile;
        this.throttle = throttle;
        this.status = status;
        this.socket =
                socket.isPresent() ? Optional.of(new ControlSocket(socket.get(), this::answer)) : Optional.empty();
    }

    /** Executes a command, and says what it did. */
    public String answer(String line) {
        try {
            String[] words = line.split("\\s*=\\s*", 2);
            String value = words.length < 2 ? "" : words[1];
            switch (words[0]) {
                case "status":
                    return status.get();
                case "pause", "throttle":
                    isPaused = true;
                    return "paused";
                case "resume", "no-throttle":
                    isPaused = false;
                    return "resumed";
                case "stop":
                    stop();
                    return "it ends after this transaction";
                case "help":
                    return HELP.stripTrailing();
                case "speed":
                    if (!value.matches("\\d{1,3}")) {
                        return "not understood: speed is '" + value + "'; it is 1 to 100 percent of the time";
                    }
                    throttle.setSpeed(Integer.parseInt(value));
                    return "speed=" + throttle.speed();
                case "max-binlog-rate":
                    long rate = ByteAmount.parse(value);
                    throttle.setBinlogRate(rate == 0 ? OptionalLong.empty() : OptionalLong.of(rate));
                    return "max-binlog-rate=" + rate;
                default:
                    return "unknown command '" + line + "'; help lists all";
            }
        } catch (IllegalArgumentException e) {
            return "not understood: " + e.getMessage();
        }
    }

    /** Ends the work soon. Any thread may call it. */
    public void stop() {
        isStopped = true;
    }

    public boolean isStopped() {
        return isStopped;
    }

    @Override
    public Optional<String> reasonToWait() {
        if (isStopped) {
            throw new StoppedException("stopped");
        }
        if (isPaused) {
            return Optional.of("by command; 'resume' continues");
        }
        return pauseFile.filter(Files::exists).map(file -> "the file " + file + " exists");
    }

    @Override
    public void close() {
        try {
            if (socket.isPresent()) {
                socket.get().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
