package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Visible;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.report.Format;
import dev.blobmark.report.Formats;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * Texts of servers, studies and runs of others come out without what a terminal, an editor or a spreadsheet would obey.
 */
class HostileTextTest {

    private static final Path GOLDEN = Path.of("../report/src/test/resources/dev/blobmark/report/run");

    /** A title, the clipboard, a cleared screen, a turned direction, a line separator; as JSON has them. */
    private static final String HOSTILE =
            "\\u001b]0;owned\\u0007\\u001b]52;c;b3duZWQ=\\u0007\\u001b[2J\\u009b31m\\u202egnp.exe\\u2028\\u061c\\r";

    @TempDir
    private Path directory;

    private Path hostileRun() throws IOException {
        Path run = Files.createDirectory(directory.resolve("run"));
        String manifest = Files.readString(GOLDEN.resolve("manifest.json"));
        Files.writeString(
                run.resolve("manifest.json"),
                manifest.replaceFirst("(\"question\"\\s*:\\s*\")", "$1" + Matcher.quoteReplacement(HOSTILE))
                        .replaceFirst("(\"cpu\"\\s*:\\s*\")", "$1" + Matcher.quoteReplacement(HOSTILE))
                        .replaceFirst("(\"libraries\"\\s*:\\s*\\{\\s*\")", "$1" + Matcher.quoteReplacement(HOSTILE))
                        .replaceFirst("(\"comment\"\\s*:\\s*\")", "$1" + Matcher.quoteReplacement(HOSTILE)));
        String samples = Files.readString(GOLDEN.resolve("first-round.jsonl"));
        assertThat(samples).contains("\"outcome\":{\"word\":\"failed\",\"reason\":\"");
        Files.writeString(
                run.resolve("samples.jsonl"),
                samples.replace(
                                "\"outcome\":{\"word\":\"failed\",\"reason\":\"",
                                "\"outcome\":{\"word\":\"failed\",\"reason\":\"=HYPERLINK(1)" + HOSTILE)
                        .replace("\"events\":[]", "\"events\":[\"@" + HOSTILE + "\"]"));
        return run;
    }

    private static void assertVisible(String text) {
        assertThat(text.chars().filter(Visible::isHidden).mapToObj(Integer::toHexString))
                .isEmpty();
    }

    private static Stream<String> formats() {
        return Formats.OF_REPORT.all().stream().map(Format::word);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void noFormOfAReportHasThem(String format) throws IOException {
        Invocation report = Invocation.of("report", hostileRun().toString(), "--format=" + format, "--equal-within=3%");
        assertThat(report.exitCode()).as(report.err()).isZero();
        if (format.equals("html")) {
            Matcher data = Pattern.compile("H4sI[A-Za-z0-9+/=]+").matcher(report.out());
            assertThat(data.find()).isTrue();
            String json = new String(
                    new GZIPInputStream(
                                    new ByteArrayInputStream(Base64.getDecoder().decode(data.group())))
                            .readAllBytes(),
                    StandardCharsets.UTF_8);
            assertThat(json).contains("owned").doesNotContain("\"\\u001b").doesNotContain("\u202e");
            assertVisible(json);
            return;
        }
        assertVisible(report.out());
        assertVisible(report.err());
        if (format.equals("csv")) {
            assertThat(report.out())
                    .contains(",\"'=HYPERLINK(1)\\u001b]0;owned\\u0007")
                    .contains(",'@\\u001b]0;owned");
        }
        if (format.equals("table")) {
            assertThat(report.out()).contains("\\u001b]0;owned\\u0007", "\\u202egnp.exe");
        }
    }

    @Test
    void comparingAndMergingHaveNone() throws IOException {
        Path run = hostileRun();
        Invocation compared = Invocation.of("compare", run.toString(), run.toString());
        assertVisible(compared.out() + compared.err());
        Invocation merged = Invocation.of("merge", run.toString(), run.toString());
        assertVisible(merged.out() + merged.err());
    }

    /** One that answers each connection with an error, before any handshake. */
    @Test
    void theErrorOfAServerHasNone() throws Exception {
        byte[] message = "\u001b]0;owned\u0007 go away \u202e".getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        packet.write(new byte[] {(byte) (3 + message.length), 0, 0, 0, (byte) 0xff, 0x6a, 0x04});
        packet.write(message);
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> {
                try {
                    while (true) {
                        try (Socket client = server.accept()) {
                            client.getOutputStream().write(packet.toByteArray());
                        }
                    }
                } catch (IOException closed) {
                    // the test is over
                }
            });
            answering.setDaemon(true);
            answering.start();
            for (String debug : new String[] {"--server", "--debug"}) {
                String address = "mysql://root@127.0.0.1:" + server.getLocalPort() + "/";
                Invocation asked = debug.equals("--debug")
                        ? Invocation.of("cleanup", "--debug", "--server", address)
                        : Invocation.of("cleanup", "--server", address);
                assertThat(asked.exitCode()).isEqualTo(ExitCode.CANNOT_CONNECT.code());
                assertThat(asked.err()).contains("\\u001b]0;owned\\u0007 go away \\u202e");
                assertVisible(asked.out() + asked.err());
            }
        }
    }

    @Test
    void theQuestionOfAStudyHasNone() throws IOException {
        Path study = Files.writeString(directory.resolve("study.yaml"), """
                study: foreign
                question: "\\e]0;owned\\a\\u202egnp.exe"
                source: "\\e[2J"
                metric: throughput
                baseline: plain
                methods: {plain: {}, gzip: {codec: gzip}}
                conditions: [{workload: codec, dataset: sites, size: 4KB, threads: 1}]
                schedule: {rounds: 1, forks: 1, window: 50ms, warm-up: 0s, seed: 42}
                """);
        Invocation planned = Invocation.of("run", study.toString(), "--dry-run");
        assertThat(planned.exitCode()).as(planned.err()).isZero();
        assertThat(planned.out()).contains("Question:    \\u001b]0;owned\\u0007\\u202egnp.exe");
        assertVisible(planned.out() + planned.err());
    }

    /** Also not what a writer behind it would let pass, as it is its own. */
    @Test
    void noLineOfARunHasThem() {
        String hostile = "\u001b]0;owned\u0007\u202e\r\u001b[K\u001b[31m";
        StringWriter err = new StringWriter();
        try (RunProgress progress = new RunProgress(new PrintWriter(err, true), OptionalInt.empty())) {
            progress.runStarted(directory, Duration.ofSeconds(100));
            progress.stepStarted("measuring " + hostile);
            progress.noticeIssued("paused: " + hostile);
            progress.noiseFound(List.of(new Finding("load", hostile, Finding.Level.WARNING, "noise", "wait")));
            Trial trial = new Trial("a trial", "plain", Levels.of(Map.of()), Levels.of(Map.of()));
            progress.sampleRecorded(Sample.crashed(trial, 0, 0, 0, hostile));
        }
        assertVisible(err.toString());
        assertThat(err.toString().split("owned", -1)).hasSize(5);
    }

    /** Prints as the commands and the libraries do. */
    static final class Printing {

        private Printing() {}

        public static void main(String[] arguments) {
            Main.commandLine().getOut().println("out \u001b]0;owned\u0007");
            Main.commandLine().getErr().println("err \u001b]0;owned\u0007");
            LoggerFactory.getLogger("library").warn("log {}", "\u001b]0;owned\u0007");
        }
    }

    @Test
    void standardOutputAndStandardErrorHaveNone() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Printing.class.getName())
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(printed)
                .contains("out \\u001b]0;owned\\u0007", "err \\u001b]0;owned\\u0007", "log \\u001b]0;owned\\u0007");
        assertVisible(printed);
    }

    /** What nothing made visible before is so by the writer that standard output and standard error are behind. */
    @Test
    void allThatIsPrintedPassesOnePlace() {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(new VisibleWriter(text), true);
        out.print("\r\u001b[K\u001b[1mbold\u001b[0m\u001b]0;owned\u0007\ttab\n");
        out.printf("%s%s", "\u202e", "-1.5");
        out.write('\u009b');
        assertThat(text).hasToString("\r\u001b[K\u001b[1mbold\u001b[0m\\u001b]0;owned\\u0007\ttab\n\\u202e-1.5\\u009b");
    }
}
