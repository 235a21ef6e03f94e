package dev.blobmark.lab.conduct;

import dev.blobmark.lab.fork.ForkWork;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/**
 * A measuring JVM that works, or one that goes wrong in the manner that the property {@code manner} says. Where the
 * property {@code said} names a file, what it says is noted there too: a line of the time, the process and the message.
 */
public final class TestFork {

    /** Of a JVM that is soon up and does little: what the second compiler would gain comes after its end. */
    public static final List<String> FLAGS =
            List.of("--enable-native-access=ALL-UNNAMED", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    /** By which a late JVM says that it is ready, after it was. */
    private static final int LATE_MILLIS = 200;

    private static final String READY = "{\"message\":\"ready\"}";

    private TestFork() {}

    /** {@link #FLAGS} and some properties. */
    public static List<String> flags(String... properties) {
        List<String> all = new ArrayList<>(FLAGS);
        all.addAll(List.of(properties));
        return all;
    }

    public static void main(String[] arguments) throws Exception {
        OutputStream out = System.getProperty("said") == null
                ? System.out
                : new Noted(System.out, Path.of(System.getProperty("said")));
        String manner = System.getProperty("manner", "work");
        switch (manner) {
            case "halt" -> {
                awaitOrder();
                System.err.println("about to halt");
                Runtime.getRuntime().halt(3);
            }
            case "mute" -> {
                awaitOrder();
                Runtime.getRuntime().halt(3);
            }
            // as Ctrl-C ends it
            case "interrupted" -> {
                awaitOrder();
                Runtime.getRuntime().halt(130);
            }
            case "silent" -> {
                System.err.println("about to be silent");
                while (System.in.read() >= 0) {
                    // nothing until the parent ends it
                }
            }
            case "chatter" -> {
                awaitOrder();
                System.out.println("What is this?");
            }
            case "ready twice" -> {
                awaitOrder();
                awaitOrder();
                System.out.println(READY + "\n" + READY);
                System.in.read();
            }
            case "flood" -> {
                awaitOrder();
                for (int i = 0; i < 10_000; i++) {
                    System.out.println(READY);
                }
            }
            case "torn" -> {
                awaitOrder();
                System.out.print("{\"message\":\"ready\",");
            }
            case "verbose" -> {
                awaitOrder();
                for (int i = 1; i <= 100; i++) {
                    System.err.println("line " + i);
                }
                Runtime.getRuntime().halt(3);
            }
            // the first JVM does not survive its second window
            case "dies" -> work(isFirst() ? dyingAt("\"go\"", 2) : System.in, out);
            // nor its tenth visit
            case "dies in a visit" -> work(isFirst() ? dyingAt("\"visit\"", 10) : System.in, out);
            // in its third round of visits nothing gets on
            case "slump" -> work(System.in, new Slump(out));
            // the first JVM warms up for longer than the others
            case "late" -> work(System.in, isFirst() ? new Late(out) : out);
            default -> work(System.in, out);
        }
    }

    private static void awaitOrder() throws IOException {
        while (System.in.read() != '\n') {
            // takes it
        }
    }

    private static void work(InputStream in, OutputStream out) throws InterruptedException {
        System.setOut(System.err);
        ForkWork.run(in, out, () -> Runtime.getRuntime().halt(1));
        System.exit(0);
    }

    /** Whether this is the first JVM that asks, of those with the same property {@code first}. */
    private static boolean isFirst() throws IOException {
        try {
            Files.createFile(Path.of(System.getProperty("first")));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** Standard input, up to the nth line that has an order. */
    private static InputStream dyingAt(String order, int n) throws IOException {
        PipedOutputStream pipe = new PipedOutputStream();
        InputStream passed = new PipedInputStream(pipe, 1 << 16);
        AtomicInteger count = new AtomicInteger();
        Thread thread = new Thread(() -> {
            try (pipe;
                    BufferedReader lines =
                            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.contains("\"order\":" + order) && count.incrementAndGet() == n) {
                        System.err.println("about to die");
                        Runtime.getRuntime().halt(9);
                    }
                    pipe.write((line + "\n").getBytes(StandardCharsets.UTF_8));
                    pipe.flush();
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return passed;
    }

    /** Passes on whole lines. */
    private abstract static class Lines extends OutputStream {

        private final OutputStream out;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        Lines(OutputStream out) {
            this.out = out;
        }

        /** The line to pass on. */
        abstract String heard(String line) throws IOException;

        @Override
        public void write(int b) throws IOException {
            line.write(b);
            if (b == '\n') {
                out.write(heard(line.toString(StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8));
                out.flush();
                line.reset();
            }
        }
    }

    private static final class Late extends Lines {

        Late(OutputStream out) {
            super(out);
        }

        @Override
        String heard(String line) throws IOException {
            if (line.contains("\"ready\"")) {
                try {
                    TimeUnit.MILLISECONDS.sleep(LATE_MILLIS);
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
            return line;
        }
    }

    private static final class Slump extends Lines {

        private static final JsonMapper MAPPER = new JsonMapper();

        Slump(OutputStream out) {
            super(out);
        }

        @Override
        String heard(String line) {
            JsonNode message = MAPPER.readTree(line);
            JsonNode visits = message.path("run").path("visits");
            if (!visits.isObject()) {
                return line;
            }
            ArrayNode rates = (ArrayNode) visits.path("operationsPerS");
            for (int visit = 0; visit < rates.size(); visit++) {
                if (visits.path("rounds").path(visit).asInt() == 2) {
                    rates.set(visit, rates.path(visit).asDouble() / 100);
                }
            }
            return MAPPER.writeValueAsString(message) + "\n";
        }
    }

    private static final class Noted extends Lines {

        private final Path file;

        Noted(OutputStream out, Path file) {
            super(out);
            this.file = file;
        }

        @Override
        String heard(String line) throws IOException {
            Files.writeString(
                    file,
                    Instant.now() + " " + ProcessHandle.current().pid() + " " + line,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
            return line;
        }
    }
}
