package dev.blobmark.analysis;

import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Position;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Trial;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Samples of fetches over a link whose time is known by its parts. */
public final class TestFetches {

    private static final int COUNT = 1_000;

    private TestFetches() {}

    /** What a value of 64 KB takes in one round: receiving and decoding, in microseconds, after 100 µs of waiting. */
    public static Sample sample(String method, String link, int fork, double receiving, double decode, long wire) {
        double nanos = (100 + receiving + decode) * 1e3;
        return sample(
                method,
                link,
                fork,
                65_536 / nanos * 1e9,
                wire,
                new TimeSpent(100_000, receiving * 800, receiving * 200, decode * 1e3, 0, 0, 0));
    }

    /** A fetch of 64 KB whose time has these parts, as a mean over the operations. */
    public static Sample sample(
            String method, String link, int fork, double bytesPerSecond, long wire, TimeSpent spent) {
        Sample plain = TestRuns.sample(method, fork, fork, new Outcome.Measured(), bytesPerSecond / 1e6);
        Operations fetch = plain.operations().get("fetch");
        return new Sample(
                new Trial(
                        plain.trial().id() + ",link=" + link,
                        method,
                        plain.trial().methodLevels(),
                        plain.condition().with("link", link)),
                new Position(0, fork, fork, plain.position().startedAt()),
                plain.outcome(),
                new Remarks(List.of(), List.of(), new TreeMap<>(), new TreeMap<>(Map.of("pages_read_per_op", "-"))),
                plain.warmUp(),
                new TreeMap<>(Map.of(
                        "fetch",
                        new Operations(
                                COUNT,
                                fetch.throughputBytesPerSecond(),
                                fetch.operationsPerSecond(),
                                fetch.latency(),
                                new Operations.ByteCounts(
                                        fetch.applicationBytes(),
                                        OptionalLong.of(wire * COUNT),
                                        OptionalLong.of(20L * COUNT),
                                        fetch.storedBytes()),
                                Optional.empty(),
                                Optional.of(spent),
                                new TreeMap<>()))),
                Optional.empty(),
                Resources.of(
                        plain.resources().elapsedNanos(),
                        plain.resources().clientCpuNanosPerOp(),
                        plain.resources().serverCpuNanosPerOp(),
                        plain.resources().allocatedBytesPerOp()),
                plain.disk(),
                Optional.empty());
    }

    /** In three forks; the codec is a little slower in each. Both are equal at about 4 Gbit/s. */
    public static Stream<Sample> loopback() {
        return IntStream.range(0, 3)
                .boxed()
                .flatMap(fork -> Stream.of(
                        sample("plain", "loopback", fork, 20, 0, 65_600),
                        sample("zstd", "loopback", fork, 8, 95 + 5 * fork, 16_400)));
    }
}
