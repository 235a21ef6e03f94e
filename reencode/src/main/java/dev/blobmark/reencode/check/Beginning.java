package dev.blobmark.reencode.check;

import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.cutover.CopyChecks;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.terms.ReencodeOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A change that is about to begin or to continue, for {@link Check}.
 *
 * @param connection of the account that changes the values
 * @param target empty for the way back, after which readers find what they found before
 * @param copy as far as it is; {@link State.Copy#PLANNED} for a new one, empty if nothing is, or is to be, copied
 * @param isOfCopy whether values are, or were, changed in a copy
 * @param isContinued whether a process before this one has begun; the server may not have noticed its end yet
 */
public record Beginning(
        Connection connection,
        Endpoint endpoint,
        TableColumn column,
        ReencodeOptions options,
        TableFacts facts,
        Optional<Target> target,
        Optional<State.Copy> copy,
        boolean isOfCopy,
        boolean isContinued) {

    boolean isExchanging() {
        return copy.filter(State.Copy::isExchanging).isPresent();
    }

    /** Whether nothing was made of a copy yet. */
    boolean isNewCopy() {
        return copy.filter(each -> each.ddl().isEmpty()).isPresent();
    }

    boolean isByLog() throws SQLException {
        return CopyChecks.isByLog(connection, copy);
    }

    /** Whether the tables of a copy are known. A process that was lost may have made them without saying so. */
    boolean isMade() {
        return copy.flatMap(State.Copy::tables).isPresent();
    }
}
