package dev.blobmark.report;

import dev.blobmark.advice.Candidate;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.TableColumn;
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
     */
    public static List<String> of(Candidate candidate, String server, String dataset, Optional<String> columnType) {
        Optional<TableColumn> source =
                Datasets.parse(dataset) instanceof TableColumn found ? Optional.of(found) : Optional.empty();
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
                        : List.of(
                                toBytes,
                                "Codec codec = Codecs.parse(\""
                                        + candidate.codec().orElseThrow() + "\");  // dev.blobmark:blobmark-codec",
                                "int n = codec.encode(value, 0, value.length, buffer, 0);  // before INSERT",
                                "int n = codec.decode(stored, 0, stored.length, value, 0, value.length);  // after SELECT");
        };
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }
}
