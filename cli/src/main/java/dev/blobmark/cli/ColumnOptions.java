package dev.blobmark.cli;

import dev.blobmark.reencode.column.ColumnReading;
import dev.blobmark.value.ValueFormat;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How the values of a column are read. */
final class ColumnOptions {

    private static final String LONGEST = "" + ValueFormat.STANDARD_MAX_LENGTH;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--reads",
            paramLabel = "CODEC",
            defaultValue = ColumnReading.RAW,
            description = "How values without a frame are read: raw if they are the values themselves, or gzip, zlib,"
                    + " mysql and others; frames if all values have one. Default: ${DEFAULT-VALUE}.")
    private String reads;

    @Option(names = "--reads-sql", description = "The column may have values of COMPRESS() too.")
    private boolean readsSql;

    @Option(
            names = "--collisions-are-legacy",
            description = "Values that begin like a frame and are none are values, as with collisionsAreLegacy().")
    private boolean areCollisionsLegacy;

    @Option(
            names = "--max-length",
            paramLabel = "BYTES",
            defaultValue = LONGEST,
            description = "The longest value that the application reads, its maxLength. Default: ${DEFAULT-VALUE}.")
    private int maxLength;

    boolean isGiven() {
        return !reading().equals(ColumnReading.standard());
    }

    /** @throws ParameterException if there is no such format */
    ColumnReading reading() {
        if (reads.equals(ColumnReading.FRAMES) && (readsSql || areCollisionsLegacy)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--reads frames: then all values have a frame; leave out "
                            + (readsSql ? "--reads-sql" : "--collisions-are-legacy"));
        }
        if (maxLength < 1 || maxLength >= 1 << 30) {
            throw new ParameterException(spec.commandLine(), "--max-length is 1 to 1073741823");
        }
        try {
            return new ColumnReading(reads, readsSql, areCollisionsLegacy, maxLength);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--reads: " + e.getMessage(), e);
        }
    }
}
