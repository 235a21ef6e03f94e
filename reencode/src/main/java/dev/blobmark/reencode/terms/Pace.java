package dev.blobmark.reencode.terms;

import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.server.MySqlSource;
import dev.blobmark.reencode.throttle.ControlSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How much a change may burden a server, and what it waits for.
 *
 * @param load of the server with which it continues
 * @param speed share of the time in which it works, in percent: 1 to 100
 * @param binlogRate bytes of the binary log in a second at most
 * @param replicas whose lag is watched
 * @param maxLag accepted lag of a replica
 * @param ignoresReplicas whether it may work although the lag of replicas that are connected is not watched
 * @param maxProbe accepted 99th percentile of a read of one row; empty for no probe
 * @param transaction time that a transaction should take
 * @param pauseFile the work waits while it exists
 * @param socket that takes commands
 */
public record Pace(
        ToleratedLoad load,
        int speed,
        OptionalLong binlogRate,
        List<MySqlSource> replicas,
        Duration maxLag,
        boolean ignoresReplicas,
        Optional<Duration> maxProbe,
        Duration transaction,
        Optional<Path> pauseFile,
        Optional<Path> socket) {

    /** Others on the same processors hardly notice it. */
    public static final int USUAL_SPEED = 10;

    public static final Duration USUAL_LAG = Duration.ofSeconds(1);
    public static final Duration USUAL_TRANSACTION = Duration.ofMillis(5);

    /** At full speed: fewer commits. */
    public static final Duration LONG_TRANSACTION = Duration.ofMillis(50);

    public static final Pace USUAL = new Pace(
            ToleratedLoad.DEFAULT,
            USUAL_SPEED,
            OptionalLong.empty(),
            List.of(),
            USUAL_LAG,
            false,
            Optional.empty(),
            USUAL_TRANSACTION,
            Optional.empty(),
            Optional.empty());

    /** @throws IllegalArgumentException if a figure is out of range, or the socket cannot be made */
    public Pace {
        socket.flatMap(file -> ControlSocket.problem(file).map(problem -> "--socket " + file + ": " + problem))
                .ifPresent(problem -> {
                    throw new IllegalArgumentException(problem);
                });
        if (speed < 1 || speed > 100) {
            throw new IllegalArgumentException("speed is " + speed + "; it is 1 to 100 percent of the time");
        }
        if (maxLag.isNegative() || maxLag.isZero()) {
            throw new IllegalArgumentException("the accepted lag is " + maxLag.toMillis() + " ms; it is at least 1");
        }
        if (transaction.toMillis() < 1 || transaction.toSeconds() > 5) {
            throw new IllegalArgumentException(
                    "a transaction of " + transaction.toMillis() + " ms; it takes 1 ms to 5 s");
        }
    }
}
