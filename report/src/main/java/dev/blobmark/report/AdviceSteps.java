package dev.blobmark.report;

import dev.blobmark.advice.Advice.Threshold;
import dev.blobmark.advice.Candidate;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.TableValues;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.value.EncodingPolicy;
import java.util.List;
import java.util.Optional;

/** The statements and the code by which an advice is followed. */
public final class AdviceSteps {

    private AdviceSteps() {}

    /**
     * One step a line. Lines that end with a semicolon and begin with a word in capitals are SQL. Empty if nothing has
     * to be done.
     *
     * @param server product and version
     * @param dataset that the values are from; names are left open if it is not a table
     * @param columnType of the values, as the server describes it
     * @param threshold below which values stay as they are
     */
    public static List<String> of(
            Candidate candidate,
            String server,
            String dataset,
            Optional<String> columnType,
            Optional<Threshold> threshold) {
        Optional<TableColumn> source =
                Datasets.parse(dataset) instanceof TableValues found ? Optional.of(found.column()) : Optional.empty();
        String table =
                source.map(of -> quoted(of.schema()) + "." + quoted(of.table())).orElse("…");
        String column = source.map(of -> quoted(of.column())).orElse("…");
        String alter = "ALTER TABLE " + table + " ";
        // a shorter type would cut values if sql_mode is not strict
        boolean isLong = columnType
                .filter(type -> type.startsWith("long") || type.equals("json"))
                .isPresent();
        String toBytes = alter + "MODIFY " + column + (isLong ? " LONGBLOB" : " MEDIUMBLOB") + ";";
        return switch (candidate.id()) {
            case Candidate.AS_IS -> List.of();
            case "compressed-table" -> List.of(alter + "ROW_FORMAT=COMPRESSED;");
            case "compressed-pages" ->
                List.of(
                        alter + (server.startsWith("MariaDB") ? "PAGE_COMPRESSED=1;" : "COMPRESSION='zlib';"),
                        "OPTIMIZE TABLE " + table + ";");
            case "compressed-protocol" -> List.of("useCompression=true in the URL of Connector/J");
            default ->
                candidate.isDecodedByServer()
                        ? List.of(
                                toBytes,
                                "UPDATE " + table + " SET " + column + " = COMPRESS(" + column + ");",
                                "SELECT UNCOMPRESS(" + column + ") FROM " + table + ";")
                        : candidate.isInValueFormat()
                                ? List.of(
                                        toBytes,
                                        "ValueFormat format = ValueFormat.builder()  // dev.blobmark:blobmark-value",
                                        written(candidate, threshold),
                                        "byte[] value = format.decode(rows.getBytes(1));  // in all readers, before anything is"
                                                + " encoded",
                                        "format.startWriting();  // in writers, after that",
                                        "insert.setBytes(1, format.encode(value));")
                                : List.of(
                                        toBytes,
                                        "Codec codec = Codecs.parse(\""
                                                + candidate.codec().orElseThrow()
                                                + "\");  // dev.blobmark:blobmark-codec",
                                        "int n = codec.encode(value, 0, value.length, buffer, 0);  // before INSERT",
                                        "int n = codec.decode(stored, 0, stored.length, value, 0, value.length);  // after SELECT");
        };
    }

    private static String written(Candidate candidate, Optional<Threshold> threshold) {
        String policy = threshold
                .map(from -> ".policy(new EncodingPolicy(" + from.bytes() + ", " + EncodingPolicy.STANDARD.minSaving()
                        + ", " + EncodingPolicy.STANDARD.hasChecksum() + "))")
                .orElse("");
        return ".reads(Legacy.RAW).writes(\"" + candidate.codec().orElseThrow() + "\")" + policy + ".build();";
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }
}
