package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.cli.shards.ShardOrder;
import dev.blobmark.cli.shards.Shards;
import dev.blobmark.lab.fork.JvmLaunch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that say what is not true, or nothing. */
class ReencodeShardsTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final String GOOD = "{\"progress\": {\"step\": \"changed\", \"rows\": 7, \"table_rows\": 7,"
            + " \"changed\": 7, \"overtaken\": 0, \"bytes_before\": 70, \"bytes_after\": 7, \"binlog_bytes\": 0,"
            + " \"seconds\": 1.0, \"paused_seconds\": 0.0}}";

    private final StringWriter out = new StringWriter();

    /** Prints its arguments; the words {@code killed} and {@code silent} do what they say. */
    static final class Process {

        private Process() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            for (String word : ShardOrder.parse(line).arguments()) {
                if (word.equals("killed")) {
                    new ProcessBuilder(
                                    "kill",
                                    "-9",
                                    Long.toString(ProcessHandle.current().pid()))
                            .start();
                }
                if (word.equals("killed") || word.equals("silent")) {
                    TimeUnit.DAYS.sleep(1);
                }
                System.out.println(word);
            }
        }
    }

    private ReencodeShards shards(Duration patience, boolean isComparing, List<String> one, List<String> other) {
        return shards(patience, isComparing, number -> Optional.empty(), one, other);
    }

    private ReencodeShards shards(
            Duration patience, boolean isComparing, Shards.Ledger ledger, List<String> one, List<String> other) {
        PrintWriter writer = new PrintWriter(out, true);
        return new ReencodeShards(
                List.of("mysql://one:1/", "mysql://other:2/"),
                new JvmLaunch(Process.class.getName(), List.of("-XX:TieredStopAtLevel=1", "-Xmx64m")),
                2,
                new ReencodeShards.ShardWork(
                        List.of(one, other),
                        Optional.empty(),
                        new ShardOrder.ShardLogin(Map.of(), Map.of()),
                        Optional.empty(),
                        isComparing,
                        ledger,
                        patience),
                new ReencodeOutput(writer, writer, false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"progress\": {}}",
                "{\"progress\": null}",
                "{\"progress\": {\"step\": \"changed\", \"rows\": -1, \"table_rows\": 7, \"changed\": 7,"
                        + " \"overtaken\": 0, \"bytes_before\": 70, \"bytes_after\": 7, \"binlog_bytes\": 0,"
                        + " \"seconds\": 1.0, \"paused_seconds\": 0.0}}",
                "{\"verified\": {\"ranges\": 1, \"same\": 2, \"rows\": 3, \"unreadable\": 0,"
                        + " \"first_unreadable\": \"\", \"exchange\": []}}",
                "{\"notice\": {}}",
                "{\"notice\": \"a\", \"server\": \"other:2\"}",
                "{\"invented\": 1}",
                "{",
            })
    void anInvalidEventFailsItsServerOnly(String event) throws Exception {
        ExitCode code =
                shards(PATIENCE, false, List.of(event, "silent"), List.of(GOOD)).run();

        assertThat(code).isEqualTo(ExitCode.ERROR);
        assertThat(out.toString())
                .contains("Done on 1 of 2 servers: 7 of 7 rows changed")
                .contains("one:1: its process sent an invalid event: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"preview\": {\"rows\": -5, \"bytes\": 1, \"bytes_after\": 1, \"problems\": []}}",
                "{\"preview\": {\"rows\": 5, \"bytes\": 1e300, \"bytes_after\": 1, \"problems\": []}}",
                "{\"preview\": {\"rows\": 5, \"bytes\": 1, \"bytes_after\": 1}}",
                "no preview"
            })
    void aPreviewThatCannotBeIsARefusal(String event) throws Exception {
        ExitCode code = shards(
                        PATIENCE,
                        false,
                        List.of(event),
                        List.of("{\"preview\": {\"rows\": 9, \"bytes\": 90.5, \"bytes_after\": 9, \"problems\": []}}"))
                .preview();

        assertThat(code).isEqualTo(ExitCode.ERROR);
        assertThat(out.toString())
                .contains("about 9 rows", "It cannot begin on 1 of 2 servers:", "  one:1: its process");
    }

    @Test
    void aComparisonNeedsAResult() throws Exception {
        assertThat(shards(PATIENCE, true, List.of(), List.of("silence")).run()).isEqualTo(ExitCode.ERROR);
        assertThat(out.toString()).contains("Done on 0 of 2", "its process has ended without a result");
    }

    @Test
    void whatTheServerRemembersCounts() throws Exception {
        Shards.Ledger ledger = number -> number == 0 ? Optional.of("it is under way") : Optional.empty();

        assertThat(shards(PATIENCE, false, ledger, List.of(GOOD), List.of(GOOD)).run())
                .isEqualTo(ExitCode.ERROR);
        assertThat(out.toString()).contains("Done on 1 of 2", "one:1: it is under way");
    }

    @Test
    void aSilentProcessIsEnded() throws Exception {
        assertThat(shards(Duration.ofSeconds(3), false, List.of("silent"), List.of("silent"))
                        .run())
                .isEqualTo(ExitCode.ERROR);
        assertThat(out.toString()).contains("one:1: its process was silent for 3 s and was ended");
    }

    @Test
    void theSignalOfAProcessThatWasKilledIsNamed() throws Exception {
        shards(PATIENCE, false, List.of("killed"), List.of(GOOD)).run();

        assertThat(out.toString()).contains("one:1: it was ended by the signal 9, SIGKILL");
    }
}
