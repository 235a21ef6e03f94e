package dev.blobmark.reencode.checkpoint;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.MySqlSource;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.TableFacts;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * What a server remembers of the last change of a column.
 *
 * @param isUnderWay whether it, or its way back, is not finished
 * @param isBack whether it was or is taken back
 * @param inWords for the user
 */
public record Remembered(Target target, boolean isUnderWay, boolean isBack, String inWords) {

    /** Reads it with a connection of its own; empty if there is nothing. */
    public static Optional<Remembered> read(MySqlSource source, Path cache, TableColumn named)
            throws SQLException, IOException {
        try (Server server = source.open(cache);
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            TableColumn column = TableFacts.column(connection, named);
            return new StateTable(column, "")
                    .read(connection)
                    .map(state -> new Remembered(state.target(), state.isUnderWay(), state.isBack(), state.inWords()));
        }
    }
}
