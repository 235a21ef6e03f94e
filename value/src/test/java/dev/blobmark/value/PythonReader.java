package dev.blobmark.value;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The reader in Python as a process that answers requests. */
final class PythonReader implements AutoCloseable {

    static final String CHECK = "readers/blobmark_value_check.py";

    private static final JsonMapper JSON = new JsonMapper();

    private final Process process;
    private final PrintWriter requests;
    private final BufferedReader answers;

    PythonReader(List<ValueDictionary> dictionaries) throws IOException, InterruptedException {
        process = new ProcessBuilder(python(), "-B", CHECK)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        requests = new PrintWriter(process.outputWriter(StandardCharsets.US_ASCII));
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        for (ValueDictionary dictionary : dictionaries) {
            requests.println("{\"dictionary\": \"" + Stored.HEX.formatHex(dictionary.bytes()) + "\"}");
        }
    }

    /** What it answers to all of them, in order. A thread of its own writes, so that no pipe fills up. */
    List<Stored.Outcome> decode(List<Stored> all) throws IOException, InterruptedException {
        Thread writing = new Thread(() -> {
            all.forEach(requests::println);
            requests.println("{\"flush\": true, \"stored\": \"\"}");
            requests.flush();
        });
        writing.start();
        List<Stored.Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i <= all.size(); i++) {
            String line = answers.readLine();
            if (line == null) {
                throw new IOException("the reader in Python ended after " + i + " of " + all.size() + " answers: "
                        + all.get(Math.min(i, all.size() - 1)));
            }
            outcomes.add(outcome(JSON.readTree(line)));
        }
        writing.join();
        return outcomes.subList(0, all.size());
    }

    private static Stored.Outcome outcome(JsonNode answer) {
        return new Stored.Outcome(
                Optional.ofNullable(answer.get("value")).map(value -> Stored.HEX.parseHex(value.asString())),
                Optional.ofNullable(answer.get("reason"))
                        .map(reason -> FrameException.Reason.valueOf(reason.asString())));
    }

    @Override
    public void close() {
        process.destroy();
    }

    /**
     * Whether its zstd is older than 1.5.7, the library's. An older one does not refuse all damaged blocks that a newer
     * one refuses.
     */
    static boolean hasOldZstd() throws IOException, InterruptedException {
        return !run(python(), "-c", "import zstandard; print(zstandard.ZSTD_VERSION >= (1, 5, 7))")
                .output()
                .equals("True");
    }

    /** The first Python that has the packages; without one, the test is skipped. */
    static String python() throws InterruptedException {
        List<String> reasons = new ArrayList<>();
        for (String python : List.of("python3", "/usr/bin/python3")) {
            try {
                Result result = run(python, "-c", "import zstandard, brotli");
                if (result.exitCode() == 0) {
                    return python;
                }
                reasons.add(python + ": "
                        + result.output().lines().reduce((one, next) -> next).orElse("no reason"));
            } catch (IOException e) {
                reasons.add(e.getMessage());
            }
        }
        assumeTrue(false, "no Python with the packages zstandard and brotli: " + String.join("; ", reasons));
        throw new AssertionError();
    }

    record Result(int exitCode, String output) {}

    static Result run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output.strip());
    }
}
