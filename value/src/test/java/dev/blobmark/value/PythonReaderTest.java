package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The reader in Python reads what every version of the library wrote. */
class PythonReaderTest {

    private static final Path READER = Path.of("readers/blobmark_value.py");
    private static final Path FRAMES = Path.of("src/test/resources/dev/blobmark/value/frames.txt");

    private record Result(int exitCode, String output) {

        static Result of(String... command) throws IOException, InterruptedException {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output.strip());
        }
    }

    /** The first Python that has the packages; without one, the test is skipped. */
    private static String python() throws InterruptedException {
        List<String> reasons = new ArrayList<>();
        for (String python : List.of("python3", "/usr/bin/python3")) {
            try {
                Result result = Result.of(python, "-c", "import zstandard, brotli");
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

    @Test
    void readsAllFrames() throws Exception {
        String python = python();
        long frames = Files.readAllLines(FRAMES).stream()
                .filter(line -> !line.startsWith("dictionary "))
                .count();
        Result result = Result.of(python, "-B", READER.toString(), FRAMES.toString());
        assertThat(result).isEqualTo(new Result(0, frames + " frames read"));
    }

    /** So that it can be translated into another language in an hour or two. */
    @Test
    void isShort() throws IOException {
        assertThat(Files.readAllLines(READER)).hasSizeBetween(1, 200);
    }
}
