package dev.blobmark.reencode;

import dev.blobmark.mysql.admission.TableSession;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.DatasetException;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.table.ColumnIdentity;
import dev.blobmark.reencode.table.Connections;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.table.TableIdentity;
import dev.blobmark.reencode.verify.Verification;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A table, and what is remembered of the change of one with this name. */
record ChangedTable(TableSession session, Endpoint endpoint, TableColumn column, StateTable states, State state) {

    private TableKey key() throws SQLException {
        return TableKey.of(session.connection(), column);
    }

    /** @throws DatasetException if the table has no key */
    boolean hasSameKey() throws SQLException {
        return TableFacts.columns(session.connection(), column, key().names()).equals(state.keyColumns());
    }

    /** For each part of the table that was changed by itself. */
    List<Verification> verifications() throws SQLException {
        TableKey key = key();
        if (!state.isDivided()) {
            return List.of(new Verification(session, states, column, key, state.isBack()));
        }
        List<Verification> parts = new ArrayList<>();
        for (int i = 0; i < state.parts(); i++) {
            parts.add(new Verification(session, states.part(i), column, key, state.isBack())
                    .after(state.begin(i).map(key::parse)));
        }
        return parts;
    }

    /**
     * What is remembered says nothing about another table of the same name. A table that was rebuilt has another
     * number, and still has ranges of rows whose values are those that the change read.
     *
     * @throws ReencodeException if this is not the table that was changed, as far as can be seen
     */
    void require(boolean isForced) throws SQLException, InterruptedException {
        Connection connection = session.connection();
        Optional<TableIdentity> now = TableIdentity.read(connection, column.schema(), column.table());
        boolean isUnfinishedCopy =
                state.copy().isPresent() && state.copy().get().verdict().isEmpty();
        Optional<TableIdentity> changed = state.copy().isEmpty()
                ? state.table().flatMap(ColumnIdentity::table)
                : state.copy().get().tables().map(State.Tables::fresh);
        boolean isKnown = now.isPresent() && now.equals(changed);
        if (isKnown || isForced || isUnfinishedCopy) {
            return;
        }
        Optional<Boolean> isSame = Optional.empty();
        if (isKeyOfChange()) {
            Conversion conversion =
                    Conversion.to(state.target(), state.before(), Connections.dictionaries(endpoint, column));
            for (Verification part : verifications()) {
                Optional<Boolean> found = part.isAnySame(conversion);
                if (found.equals(Optional.of(true))) {
                    return;
                }
                isSame = isSame.or(() -> found);
            }
            if (isSame.isEmpty() && (now.isEmpty() || changed.isEmpty())) {
                return; // no row was changed
            }
        }
        throw new ReencodeException(
                column.name(),
                "this is not the table that was changed, or no value in it is as it was then: this is "
                        + TableIdentity.inWords(now) + ", and " + TableIdentity.inWords(changed) + " was changed",
                "nothing was done; if somebody has exchanged the tables, exchange them again; if this is the right one"
                        + " all the same, add --force");
    }

    private boolean isKeyOfChange() throws SQLException {
        try {
            return hasSameKey();
        } catch (DatasetException e) { // it has no key
            return false;
        }
    }
}
