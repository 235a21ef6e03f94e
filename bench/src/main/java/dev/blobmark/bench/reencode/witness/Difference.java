package dev.blobmark.bench.reencode.witness;

import dev.blobmark.mysql.client.Sql;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A row that a change has named in {@code blobmark_reencode_differences}.
 *
 * @param former content that the former table had, as it was kept
 * @param fresh content that the new table had
 * @param fate word for what became of it
 */
record Difference(Optional<Content> former, Optional<Content> fresh, String fate) {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Those of a schema by their keys. */
    static Map<Integer, Difference> read(Connection connection, String schema) throws SQLException {
        Map<Integer, Difference> found = new HashMap<>();
        if (Sql.row(
                        connection,
                        "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name ="
                                + " 'blobmark_reencode_differences'",
                        schema)
                .isEmpty()) {
            return found;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT row_key, former, fresh, fate FROM " + schema + ".blobmark_reencode_differences")) {
            while (row.next()) {
                int key =
                        Integer.parseInt(JSON.readTree(row.getString(1)).get(0).asString());
                found.put(key, new Difference(content(row.getString(2)), content(row.getString(3)), row.getString(4)));
            }
        }
        return found;
    }

    private static Optional<Content> content(String json) {
        if (json == null) {
            return Optional.empty();
        }
        JsonNode columns = JSON.readTree(json);
        JsonNode payload = columns.get("payload");
        return Optional.of(Content.of(
                payload.isNull() ? null : HexFormat.of().parseHex(payload.asString()),
                new String(HexFormat.of().parseHex(columns.get("note").asString()), StandardCharsets.UTF_8)));
    }
}
