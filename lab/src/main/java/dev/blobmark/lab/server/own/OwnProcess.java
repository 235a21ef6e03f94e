package dev.blobmark.lab.server.own;

import dev.blobmark.lab.machine.Subprocess;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.directory.FileGuard;
import dev.blobmark.mysql.server.directory.Ownership;
import dev.blobmark.mysql.server.directory.ServerDirectory;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * A server process that Blobmark starts on a port of the loopback interface. All its files are in a private directory,
 * which is deleted when it is closed. One process runs at a time; all of them append to one log.
 *
 * <p>If the JVM is asked to end, {@link ServerStart} stops the process. If the JVM is killed, the next start of any
 * server in the same parent directory does. For that, one argument of the command must name
 * {@link ServerDirectory#configuration()}.
 */
public final class OwnProcess implements AutoCloseable {

    /** The address that servers listen on. */
    public static final String HOST = "127.0.0.1";

    /** Another process may take a free port before the server listens on it. */
    private static final int PORTS_TO_TRY = 5;

    /** Log messages of programs whose port was taken. The second form is that of ndb_mgmd. */
    private static final Pattern PORT_TAKEN = Pattern.compile("Address already in use|(Could not|Unable to) bind");

    private static final String TRY_LATER = "Start again when the machine is less busy.";
    private static final long POLL_MILLIS = 10;
    private static final long STOP_SECONDS = 10;

    private final String name;
    private final ServerDirectory directory;
    private final ServerLog log;
    private final ServerLaunch launch;
    private final Consumer<Process> stopper;
    private final UnaryOperator<String> remedy;
    private volatile Process process;
    private long loggedBefore;
    private volatile boolean closed;

    /** One attempt to start a server. */
    public interface Attempt {
        /** Returns false if another process took the port. */
        boolean listens(int port) throws IOException, InterruptedException;
    }

    /** One attempt to connect to a server. */
    public interface LoginAttempt {
        /** Returns the reason if the server does not accept the connection yet. */
        Optional<String> refused();
    }

    /**
     * Removes the directories of killed runs, then makes a new one.
     *
     * @param cache Blobmark's cache directory
     * @param name of the server in messages
     * @param stopper asks a process to end; it is killed if it has not ended after 10 s
     * @param remedy gives the remedy for a process that ended too early, from its log
     * @throws ServerException if the directory cannot be made
     */
    public static OwnProcess in(
            Path cache, String name, ServerLaunch launch, Consumer<Process> stopper, UnaryOperator<String> remedy) {
        Path parent = launch.parent(cache);
        try {
            return new OwnProcess(name, ServerDirectory.create(parent), launch, stopper, remedy);
        } catch (IOException e) {
            throw new ServerException(
                    "cannot make a directory for " + name + " in " + parent + ": " + e
                            + ". Set XDG_CACHE_HOME to use another directory for the cache, or the factor 'storage' for"
                            + " the server's files.",
                    e);
        }
    }

    private OwnProcess(
            String name,
            ServerDirectory directory,
            ServerLaunch launch,
            Consumer<Process> stopper,
            UnaryOperator<String> remedy) {
        this.name = name;
        this.directory = directory;
        log = new ServerLog(directory.path().resolve("server.log"));
        this.launch = launch;
        this.stopper = stopper;
        this.remedy = remedy;
    }

    /** A new secret of 192 bits, in hexadecimal digits. */
    public static String newPassword() {
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    /** A port of the loopback interface that is free at this moment. Nothing listens on it meanwhile. */
    public static int freePort() throws IOException {
        try (Socket free = new Socket()) {
            free.bind(new InetSocketAddress(HOST, 0));
            return free.getLocalPort();
        }
    }

    /**
     * Starts the server on a free port. If another process takes the port first, tries another one.
     *
     * @throws ServerException if no attempt succeeds
     */
    public void listen(Attempt attempt) throws IOException, InterruptedException {
        for (int i = 0; i < PORTS_TO_TRY; i++) {
            if (attempt.listens(freePort())) {
                return;
            }
        }
        throw failed("found no port of " + HOST + " to listen on", "Close programs that hold many ports.");
    }

    /**
     * Starts the server again on its old port after it has ended.
     *
     * @throws ServerException if it does not start, or another process has taken the port
     */
    public void listenAgain(int port, Attempt attempt) {
        try {
            if (!attempt.listens(port)) {
                throw failed("lost its port " + port + " during a restart", TRY_LATER);
            }
        } catch (IOException | InterruptedException e) {
            throw ServerStart.failure(name, false, e);
        }
    }

    /**
     * Starts a process.
     *
     * @param command a program, or words that start one; each absolute path is examined, except in the private
     *     directory
     * @param input all of its standard input
     * @throws ServerException if others may replace the program
     */
    public synchronized void spawn(List<String> command, String input) throws IOException {
        requireOpen();
        command.stream()
                .map(Path::of)
                .filter(path -> path.isAbsolute() && !path.startsWith(path()))
                .forEach(Ownership::requireOfProgram);
        loggedBefore = log.bytes();
        List<String> all = new ArrayList<>(launch.prefix());
        all.addAll(command);
        Process started = Subprocess.of(all)
                .directory(path().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.file().toFile()))
                .start();
        process = started;
        directory.recordServer(started.pid());
        if (input.isEmpty()) {
            started.getOutputStream().close();
            return;
        }
        // on another thread, because a program that does not read its input would block this one
        Thread writer = new Thread(() -> write(input, started), "input of " + name);
        writer.setDaemon(true);
        writer.start();
    }

    private static void write(String input, Process to) {
        try (OutputStream in = to.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException endedEarly) {
            // reported by the exit status
        }
    }

    /**
     * Waits until the server accepts a connection. The first attempt is made when the server has logged that it is
     * ready and the system has confirmed, where it can, that this process listens on the port. So no other process
     * receives a password.
     *
     * @param ready tests the log since the process was started
     * @return false if another process took the port
     * @throws ServerException if the process ends or is not ready in time
     */
    public boolean awaitLogin(int port, Predicate<String> ready, LoginAttempt login)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + launch.timeout().toNanos();
        String missing = "its log does not show that it is ready on port " + port;
        while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
            if (ready.test(log.since(loggedBefore))) {
                missing = "the process does not listen on port " + port;
                if (Listening.of(process.pid(), port) != Listening.NO) {
                    Optional<String> refused = login.refused();
                    if (refused.isEmpty()) {
                        return true;
                    }
                    missing = refused.get();
                }
            }
            if (System.nanoTime() - deadline > 0) {
                throw failed("accepted no login within " + seconds() + " (" + missing + ")", TRY_LATER);
            }
        }
        if (PORT_TAKEN.matcher(log.since(loggedBefore)).find()) {
            return false;
        }
        throw ended();
    }

    /**
     * Waits until a program that prepares the directory has ended.
     *
     * @param work completes the message "has not … within 180.0 s"
     * @throws ServerException if the program fails or takes too long
     */
    public void awaitSuccess(String work) throws IOException, InterruptedException {
        if (!process.waitFor(launch.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
            throw failed("has not " + work + " within " + seconds(), TRY_LATER);
        }
        if (process.exitValue() != 0) {
            throw ended();
        }
    }

    /** @throws ServerException if the process has ended */
    public void requireAlive() throws IOException {
        if (!process.isAlive()) {
            throw ended();
        }
    }

    private ServerException ended() throws IOException {
        return failed("ended with exit status " + process.exitValue(), remedy.apply(log.since(0)));
    }

    /** An error that includes the end of the log. */
    public ServerException failed(String reason, String remedy) throws IOException {
        return new ServerException(name + " " + reason + ". The last lines of its log:\n  "
                + String.join("\n  ", log.lastLines()) + "\n" + remedy);
    }

    private String seconds() {
        return launch.timeout().toMillis() / 1000.0 + " s";
    }

    /** Does work on the directory, during which {@link #close} waits. */
    public synchronized <T> T whileOpen(FileGuard.GuardedWork<T> work) throws IOException {
        requireOpen();
        return work.run();
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("already closed");
        }
    }

    public ServerDirectory directory() {
        return directory;
    }

    public Path path() {
        return directory.path();
    }

    /** The output of all its processes. */
    public ServerLog log() {
        return log;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Runs an action if the process ends before it is closed. */
    public void onLoss(Runnable action) {
        process.onExit().thenRun(() -> {
            if (!closed) {
                action.run();
            }
        });
    }

    /**
     * Asks the process to end, and waits.
     *
     * @throws ServerException if it takes too long; it still runs then
     */
    public void stopInTime() {
        stopper.accept(process);
        try {
            if (!process.waitFor(launch.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
                throw failed("has not stopped within " + seconds(), TRY_LATER);
            }
        } catch (IOException | InterruptedException e) {
            throw ServerStart.failure(name, false, e);
        }
    }

    /** Asks the process to end, and kills it after 10 s, or at once if the thread is interrupted. */
    public void stop() {
        stopper.accept(process);
        boolean interrupted = false;
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            interrupted = true;
            process.destroyForcibly();
        }
        // a killed process that waits for a disk ends late; the wait for it is limited
        process.onExit()
                .completeOnTimeout(process, STOP_SECONDS, TimeUnit.SECONDS)
                .join();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Stops the process and deletes the directory. When this returns both are gone, even if another thread closes it at
     * the same time.
     *
     * @throws ServerException if the directory cannot be deleted; the next start tries again
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (process != null) {
                stop();
            }
            directory.close();
        } catch (IOException e) {
            throw new ServerException("cannot delete " + path() + ": " + e + ". Delete it by hand.", e);
        }
    }
}
