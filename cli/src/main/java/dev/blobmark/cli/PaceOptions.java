package dev.blobmark.cli;

import dev.blobmark.lab.study.Durations;
import dev.blobmark.mysql.admission.ByteAmount;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.server.MySqlSource;
import dev.blobmark.reencode.terms.Pace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How fast a change of a table works, and what it waits for. */
final class PaceOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--speed",
            paramLabel = "PERCENT",
            defaultValue = "" + Pace.USUAL_SPEED,
            description = "Share of the time in which it works; otherwise it pauses. Default: ${DEFAULT-VALUE}.")
    private int speed;

    @Option(
            names = "--max-binlog-rate",
            paramLabel = "SIZE",
            description = "Write at most this much to the binary log in a second: 10MB. Default: no limit.")
    private String maxBinlogRate;

    @Option(
            names = "--replicas",
            paramLabel = "SERVER",
            split = ",",
            description = "Replicas whose lag is watched; if one cannot be read, it waits.")
    private List<String> replicas = List.of();

    @Option(
            names = "--max-lag",
            paramLabel = "TIME",
            defaultValue = "1s",
            description = "Wait while a replica is later than this. Default: ${DEFAULT-VALUE}.")
    private String maxLag;

    @Option(names = "--ignore-replicas", description = "Work although nobody watches the lag of replicas.")
    private boolean ignoresReplicas;

    @Option(
            names = "--max-probe",
            paramLabel = "TIME",
            description = "Read a row fifty times a second, and wait while the 99th percentile is above this: 2ms.")
    private String maxProbe;

    @Option(
            names = "--transaction",
            paramLabel = "TIME",
            description =
                    "How long a transaction should take; its number of rows is adjusted. Default: 5ms, and 50ms with"
                            + " --speed 100.")
    private String transaction;

    @Option(
            names = "--writers",
            paramLabel = "N",
            description =
                    "Connections that change rows in place at the same time, each for its --speed. Default: 1, or with"
                            + " --on and one server, one on each host.")
    private Integer writers;

    @Option(names = "--pause-file", paramLabel = "FILE", description = "Wait while this file exists.")
    private Path pauseFile;

    @Option(
            names = "--socket",
            paramLabel = "FILE",
            description = "Take commands at a Unix socket: status, pause, resume, speed=25, stop, help.")
    private Path socket;

    /** As the words are given; one word may name several servers. */
    List<String> replicas() {
        return replicas;
    }

    OptionalInt writers() {
        return writers == null ? OptionalInt.empty() : OptionalInt.of(writers);
    }

    Optional<Path> pauseFile() {
        return Optional.ofNullable(pauseFile);
    }

    boolean hasSocket() {
        return socket != null;
    }

    /** @param source of a replica */
    Pace pace(ToleratedLoad load, Function<String, MySqlSource> source) {
        try {
            return new Pace(
                    load,
                    speed,
                    maxBinlogRate == null
                            ? OptionalLong.empty()
                            : OptionalLong.of(parsed("--max-binlog-rate", maxBinlogRate, ByteAmount::parse)),
                    replicas.stream().map(source).toList(),
                    parsed("--max-lag", maxLag, Durations::parse),
                    ignoresReplicas,
                    Optional.ofNullable(maxProbe).map(time -> parsed("--max-probe", time, Durations::parse)),
                    transaction(),
                    pauseFile(),
                    Optional.ofNullable(socket));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private Duration transaction() {
        return transaction != null
                ? parsed("--transaction", transaction, Durations::parse)
                : speed == 100 ? Pace.LONG_TRANSACTION : Pace.USUAL_TRANSACTION;
    }

    private static <V> V parsed(String option, String value, Function<String, V> parser) {
        try {
            return parser.apply(value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
        }
    }
}
