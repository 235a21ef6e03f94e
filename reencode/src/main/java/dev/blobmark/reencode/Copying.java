package dev.blobmark.reencode;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.table.TableKey;
import dev.blobmark.lab.server.Endpoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The course of a shadow copy: its tables, how changes are found, the comparison, the exchange. */
final class Copying {

    private final Endpoint endpoint;
    private final TableColumn column;
    private final TableKey key;
    private final StateTable states;
    private final Connection asking;

    /** @param asking a connection for short questions and DDL */
    Copying(Endpoint endpoint, TableColumn column, TableKey key, StateTable states, Connection asking) {
        this.endpoint = endpoint;
        this.column = column;
        this.key = key;
        this.states = states;
        this.asking = asking;
    }

    /** Reasons why a table cannot be copied, in addition to {@link TableFacts#problems}. */
    static List<String> problems(Connection connection, TableColumn column) throws SQLException {
        List<String> problems = new ArrayList<>(missing(connection, column));
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT constraint_schema, table_name, constraint_name FROM information_schema.referential_constraints WHERE"
                        + " constraint_schema = ? AND (table_name = ? OR referenced_table_name = ?)")) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            select.setString(3, column.table());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    problems.add("the foreign key " + row.getString(3) + " of " + row.getString(2)
                            + " would stay with the former table: drop it before, and make it again after");
                }
            }
        }
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT trigger_name FROM information_schema.triggers WHERE event_object_schema = ? AND event_object_table ="
                        + " ? AND event_manipulation <> 'UPDATE'")) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    if (!ShadowNames.isTrigger(column.table(), row.getString(1))) {
                        problems.add("the trigger " + row.getString(1)
                                + " would stay with the former table: drop it before, and make it again after");
                    }
                }
            }
        }
        return problems;
    }

    /** Privileges that a copy needs in addition, with the remedies. */
    private static List<String> missing(Connection connection, TableColumn column) throws SQLException {
        Grants grants = Grants.read(connection);
        TableColumn fresh = TableColumn.of(column.schema(), ShadowNames.fresh(column.table()), column.column());
        List<String> missing = Stream.of("ALTER", "CREATE", "DROP", "INSERT", "DELETE", "LOCK TABLES", "TRIGGER")
                .filter(privilege -> !grants.has(privilege, fresh) || !grants.has(privilege, column))
                .toList();
        List<String> problems = new ArrayList<>();
        if (!missing.isEmpty()) {
            problems.add("the account lacks a privilege for the new table: GRANT " + String.join(", ", missing) + " ON "
                    + Names.quoted(column.schema()) + ".*");
        }
        if (isByLog(connection) && !grants.hasEverywhere("REPLICATION SLAVE")) {
            problems.add("the account may not read the binary log: GRANT REPLICATION SLAVE ON *.*");
        }
        return problems;
    }

    /** What a copy changes in addition to the values. */
    static List<String> remarks(Connection connection, TableFacts facts) throws SQLException {
        List<String> remarks = new ArrayList<>();
        ShadowTable.bytesFor(facts.dataType())
                .ifPresent(type -> remarks.add("the column becomes " + type + ": "
                        + (facts.dataType().equals("json")
                                ? "documents are no longer checked, and JSON functions do not read them"
                                : "its collation and character set are lost, and LIKE and functions on text do not read it")
                        + "; the application must write and read bytes"));
        remarks.add(
                isByLog(connection)
                        ? "what others change meanwhile is read from the binary log"
                        : "what others change meanwhile is written to a table by three triggers, since there is no binary log"
                                + " of rows");
        return remarks;
    }

    /** Whether others' changes are read from the binary log; otherwise triggers write them into a table. */
    static boolean isByLog(Connection connection) throws SQLException {
        Map<String, String> variables = Sql.pairs(
                connection,
                "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('log_bin', 'binlog_format', 'log_bin_compress')");
        return isOn(variables.get("log_bin"))
                && variables.getOrDefault("binlog_format", "ROW").equalsIgnoreCase("ROW")
                && !isOn(variables.get("log_bin_compress"));
    }

    private static boolean isOn(String value) {
        return value != null && value.toUpperCase(Locale.ROOT).matches("ON|1");
    }

    /** Makes the new table and prepares to find changes, if that is not done yet. */
    State begin(State state) throws SQLException, InterruptedException {
        if (isExchanged(state)) {
            return state;
        }
        State.Copy copy = state.copy().orElseThrow();
        if (state.position().isPresent() || copy.isComplete()) {
            return state;
        }
        State begun = state;
        if (copy.ddl().isEmpty()) { // what is dropped below was made after this
            begun = state.with(new State.Copy(false, Optional.empty(), Exchange.ddl(asking, column)));
            states.write(asking, begun);
        }
        drop();
        ShadowTable.create(asking, column);
        if (isByLog(asking)) {
            begun = begun.at(Optional.of(LogFeed.now(asking)));
            states.write(asking, begun);
        } else {
            TriggerFeed.create(asking, column, key);
        }
        return begun;
    }

    /** Whether the tables were exchanged by a process that could not write so. */
    private boolean isExchanged(State state) throws SQLException {
        return state.copy().orElseThrow().isComplete()
                && !exists(ShadowNames.fresh(column.table()))
                && exists(ShadowNames.former(column.table()));
    }

    private boolean exists(String table) throws SQLException {
        return !Sql.row(
                        asking,
                        "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ? AND table_comment"
                                + " <> '" + Exchange.SENTRY + "'",
                        column.schema(),
                        table)
                .isEmpty();
    }

    /** Removes the new table and what finds changes. */
    private void drop() throws SQLException, InterruptedException {
        TriggerFeed.drop(asking, column);
        Sql.execute(asking, "DROP TABLE IF EXISTS " + ShadowTable.fresh(column));
    }

    /**
     * Takes a copy back that was not exchanged.
     *
     * @param state of the copy
     * @return whether it was; otherwise the values are in the table that everybody uses
     */
    boolean revert(State state) throws SQLException, InterruptedException {
        if (isExchanged(state)) {
            TriggerFeed.drop(asking, column);
            return false;
        }
        drop();
        return true;
    }

    /** Drops the former table. */
    void finish() throws SQLException, InterruptedException {
        TriggerFeed.drop(asking, column);
        Sql.execute(
                asking, "DROP TABLE IF EXISTS " + Names.quoted(column.schema(), ShadowNames.former(column.table())));
    }

    /**
     * Copies, compares and exchanges.
     *
     * @param start of the copy
     * @return the state after the exchange
     */
    State run(State begin, Start start, InPlace.Listener listener, Steps steps)
            throws SQLException, InterruptedException {
        if (isExchanged(begin)) {
            return ended(begin);
        }
        Optional<String> place = begin.copy().orElseThrow().feed();
        try (ChangeFeed feed = place.isPresent()
                        ? new LogFeed(endpoint, column, KeyColumns.of(asking, column, key), place.get())
                        : TriggerFeed.open(column, key);
                ShadowCopy copy = start.with(feed);
                Connection locking = Driver.connectForChanging(endpoint);
                Connection other = Driver.connectForChanging(endpoint)) {
            State state = copy.run(begin, listener);
            steps.began("comparing");
            other.setAutoCommit(false);
            state = copy.compare(state, locking, other);
            steps.began("exchanging");
            other.setAutoCommit(true);
            Reencoding.prepare(locking);
            List<String> written = new ArrayList<>(List.of(ShadowTable.fresh(column), states.table()));
            if (place.isEmpty()) {
                written.add(TriggerFeed.changes(column));
            }
            try (ShadowCopy.Applier last = copy.over(locking)) {
                State[] now = {state};
                new Exchange(column, written, locking, other, asking)
                        .run(begin.copy().orElseThrow().ddl(), () -> now[0] = last.catchUp(now[0]));
                state = now[0];
            }
            return ended(state);
        }
    }

    private State ended(State state) throws SQLException, InterruptedException {
        State ended = state.ended();
        states.write(asking, ended);
        // their table stays until the end: statements that waited during the exchange may still look for it
        TriggerFeed.dropTriggers(asking, column);
        return ended;
    }

    /** Makes a copy that takes changes from a feed. */
    interface Start {
        ShadowCopy with(ChangeFeed feed) throws SQLException;
    }

    /** Receives what comes after the copy. */
    interface Steps {
        void began(String step);
    }
}
