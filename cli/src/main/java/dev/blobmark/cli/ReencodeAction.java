package dev.blobmark.cli;

import dev.blobmark.reencode.checkpoint.Remembered;
import dev.blobmark.reencode.row.Target;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** What {@code blobmark reencode} is to do. */
final class ReencodeAction {
    @Option(
            names = "--to",
            paramLabel = "CODEC",
            description = "Encode by zstd:3, lz4, deflate:6 and others in the value format; by mysql as COMPRESS()"
                    + " does, for SQL; none decodes.")
    String to;

    @Option(names = "--revert", description = "Take a change back, finished or not: the same bytes as before.")
    boolean revert;

    @Option(
            names = "--verify",
            description = "Compare all values with what a change read, by the checksums that it kept.")
    boolean verify;

    @Option(
            names = "--finish",
            description = "Forget a finished change. --revert and --verify are not possible any more.")
    boolean finish;

    /**
     * Whether it is done on a server.
     *
     * @param now what the server remembers
     */
    boolean isDone(Optional<Remembered> now, Function<String, Target> target) {
        if (finish) {
            return now.isEmpty();
        }
        if (verify) { // the comparison itself is known only to its process
            return now.isPresent();
        }
        if (revert) {
            return now.filter(state -> state.isBack() && !state.isUnderWay()).isPresent();
        }
        Target wanted = target.apply(to);
        return now.filter(state ->
                        !state.isBack() && !state.isUnderWay() && state.target().equals(wanted))
                .isPresent();
    }
}
