package dev.blobmark.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CurvesTest {

    @TempDir
    private Path cache;

    private final List<String> measured = new ArrayList<>();

    private static ServerCurve curve(double moreNanos) {
        return new ServerCurve(
                1,
                AdviceFixture.CURVE.points().stream()
                        .map(point -> new ServerCurve.SizePoint(
                                point.bytes(),
                                point.waiting() + moreNanos,
                                point.receiving(),
                                point.rest(),
                                point.bytesIn(),
                                point.bytesOut(),
                                point.nanos() + moreNanos,
                                point.cpuNanos()))
                        .toList());
    }

    private ServerCurve find(double moreNanos, String server) throws Exception {
        measured.clear();
        return new Curves(cache, 1).find((sizes, run) -> {
            measured.add(run + " " + sizes.size());
            return new Curves.MeasuredCurve(curve(moreNanos), Map.of("server", server, "seed", moreNanos + ""));
        });
    }

    @Test
    void aStoredCurveIsCheckedAtThreeSizesAndUsed() throws Exception {
        find(0, "MariaDB");
        assertThat(measured).containsExactly("curve 7");
        assertThat(find(1_000, "MariaDB")).isEqualTo(curve(0));
        assertThat(measured).containsExactly("curve 3");
    }

    @Test
    void theCurveOfAServerThatBecameSlowerBy2MsIsMeasuredAgain() throws Exception {
        find(0, "MariaDB");
        assertThat(find(2e6, "MariaDB")).isEqualTo(curve(2e6));
        assertThat(measured).containsExactly("curve 3", "curve-again 7");
        assertThat(find(2e6, "MariaDB")).isEqualTo(curve(2e6));
        assertThat(measured).containsExactly("curve 3");
    }

    @Test
    void aCurveThatOthersMayHaveWrittenIsNotUsed() throws Exception {
        find(0, "MariaDB");
        Path directory = cache.resolve("curves");
        assertThat(Files.getAttribute(directory, "unix:mode")).isEqualTo(0040700);
        try (Stream<Path> files = Files.list(directory)) {
            Files.setAttribute(files.findFirst().orElseThrow(), "unix:mode", 0666);
        }
        assertThat(find(1_000, "MariaDB")).isEqualTo(curve(1_000));
        assertThat(measured).containsExactly("curve 3", "curve-again 7");

        Files.setAttribute(directory, "unix:mode", 0777);
        assertThatThrownBy(() -> find(0, "MariaDB")).hasMessageContaining("other users may write to " + directory);
    }

    @Test
    void anotherServerOrNumberOfThreadsHasACurveOfItsOwn() throws Exception {
        find(0, "MariaDB");
        find(0, "MySQL");
        assertThat(measured).containsExactly("curve 3", "curve-again 7");
        assertThat(find(1_000, "MariaDB")).isEqualTo(curve(0));
    }
}
