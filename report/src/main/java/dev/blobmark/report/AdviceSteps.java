package dev.blobmark.report;

import dev.blobmark.advice.Candidate;
import java.util.List;

/** The statements and the code by which an advice is followed. */
public final class AdviceSteps {

    private static final String TABLE = "table:";

    private AdviceSteps() {}

    /**
     * One step a line. Lines that end with a semicolon and begin with a word in capitals are SQL. Empty if nothing has
     * to be done.
     *
     * @param server product and version
     * @param dataset that the values are from; names are left open if it is not a table
     */
    public static List<String> of(Candidate candidate, String server, String dataset) {
        boolean isTable = dataset.startsWith(TABLE);
        String table = isTable ? dataset.substring(TABLE.length(), dataset.lastIndexOf('.')) : "…";
        String column = isTable ? dataset.substring(dataset.lastIndexOf('.') + 1) : "…";
        String alter = "ALTER TABLE " + table + " ";
        String toBytes = alter + "MODIFY " + column + " MEDIUMBLOB;";
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
                        : List.of(
                                toBytes,
                                "Codec codec = Codecs.parse(\""
                                        + candidate.codec().orElseThrow() + "\");  // dev.blobmark:blobmark-codec",
                                "int n = codec.encode(value, 0, value.length, buffer, 0);  // before INSERT",
                                "int n = codec.decode(stored, 0, stored.length, value, 0, value.length);  // after SELECT");
        };
    }
}
