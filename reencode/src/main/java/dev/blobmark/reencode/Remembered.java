package dev.blobmark.reencode;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.source.Servers;
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
    public static Optional<Remembered> read(Servers.Source source, Path cache, TableColumn named)
            throws SQLException, IOException {
        try (Server server = source.open(cache);
                Connection connection = Driver.connectForLoading(server.endpoint(), "")) {
            TableColumn column = TableFacts.column(connection, named);
            return new StateTable(column, "")
                    .read(connection)
                    .map(state -> new Remembered(state.target(), state.isUnderWay(), state.isBack(), state.inWords()));
        }
    }
}
