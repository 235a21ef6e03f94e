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
 * How a change may burden a server.
 *
 * @param load of the server with which it continues
 * @param isCopy whether rows are copied to a new table, which then takes the place of the former one; otherwise they
 *     are changed where they are
 * @param speed share of the time in which it works, in percent: 1 to 100
 * @param binlogRate bytes of the binary log in a second at most
 * @param replicas whose lag is watched
 * @param maxLag accepted lag of a replica
 * @param ignoresReplicas whether it may work although the lag of replicas that are connected is not watched
 * @param maxProbe accepted 99th percentile of a read of one row; empty for no probe
 * @param transaction time that a transaction should take
 * @param pauseFile the work waits while it exists
 * @param socket that takes commands
 * @param keepsOriginals whether former bytes are kept that decoding does not give back, of values that were encoded
 *     before; without them, the way back decodes these values
 * @param writers connections that change rows at the same time, 1 to 256; 1 for a copy
 * @param force whether it may work although a reader that announced itself cannot read what is written, or the table
 *     seems to be another one than the one that was changed
 */
public record ReencodeOptions(
        ToleratedLoad load,
        boolean isCopy,
        int speed,
        OptionalLong binlogRate,
        List<MySqlSource> replicas,
        Duration maxLag,
        boolean ignoresReplicas,
        Optional<Duration> maxProbe,
        Duration transaction,
        Optional<Path> pauseFile,
        Optional<Path> socket,
        boolean keepsOriginals,
        int writers,
        boolean force) {

    /** Others on the same processors hardly notice it. */
    public static final int USUAL_SPEED = 10;

    public static final Duration USUAL_LAG = Duration.ofSeconds(1);
    public static final Duration USUAL_TRANSACTION = Duration.ofMillis(5);

    /** At full speed: fewer commits. */
    public static final Duration LONG_TRANSACTION = Duration.ofMillis(50);

    static final int MAX_WRITERS = 256;

    public static final ReencodeOptions USUAL = new ReencodeOptions(
            ToleratedLoad.DEFAULT,
            false,
            USUAL_SPEED,
            OptionalLong.empty(),
            List.of(),
            USUAL_LAG,
            false,
            Optional.empty(),
            USUAL_TRANSACTION,
            Optional.empty(),
            Optional.empty(),
            true,
            1,
            false);

    /** The same with another number of writers. */
    public ReencodeOptions withWriters(int number) {
        return with(number, force);
    }

    /** The same that may work on what seems to be another table. */
    public ReencodeOptions forced() {
        return with(writers, true);
    }

    private ReencodeOptions with(int number, boolean isForced) {
        return new ReencodeOptions(
                load,
                isCopy,
                speed,
                binlogRate,
                replicas,
                maxLag,
                ignoresReplicas,
                maxProbe,
                transaction,
                pauseFile,
                socket,
                keepsOriginals,
                number,
                isForced);
    }

    /** @throws IllegalArgumentException if a figure is out of range, or the socket cannot be made */
    public ReencodeOptions {
        socket.flatMap(file -> ControlSocket.problem(file).map(problem -> "--socket " + file + ": " + problem))
                .ifPresent(problem -> {
                    throw new IllegalArgumentException(problem);
                });
        if (speed < 1 || speed > 100) {
            throw new IllegalArgumentException("speed is " + speed + "; it is 1 to 100 percent of the time");
        }
        if (writers < 1 || writers > MAX_WRITERS) {
            throw new IllegalArgumentException(writers + " writers; there are 1 to " + MAX_WRITERS);
        }
        if (isCopy && writers > 1) {
            throw new IllegalArgumentException("a copy has one writer; leave out --writers");
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
