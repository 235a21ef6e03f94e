package dev.blobmark.lab.guest;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Finds and removes what runs have left on a server: of schemas that carry a {@link Mark}, the tables that it names. */
public final class Cleanup {

    private Cleanup() {}

    /**
     * A schema with a mark.
     *
     * @param tables that it marks and that are there
     * @param isAlive whether its run is still at work
     */
    public record Leftover(Mark mark, List<String> tables, boolean isAlive) {}

    /** All that the account may see, by name of schema. */
    public static List<Leftover> find(Connection connection) throws SQLException {
        List<Leftover> found = new ArrayList<>();
        for (Mark mark : Mark.all(connection)) {
            List<String> there = Mark.contents(connection, mark.schema());
            List<String> tables =
                    mark.tables(connection).stream().filter(there::contains).toList();
            found.add(new Leftover(mark, tables, mark.isAlive(connection)));
        }
        return found;
    }

    /**
     * Drops the tables one by one, and the schema if the run had made it and it holds nothing else. A run that begins meanwhile
     * is kept out by the lock.
     *
     * @return what else lies in the schema and stays
     */
    public static List<String> remove(Connection connection, Leftover leftover) throws SQLException {
        boolean locked = Mark.lock(connection, leftover.mark().schema());
        try {
            if (!locked && !leftover.isAlive()) {
                throw new GuestException(
                        "a run has just begun in the schema " + leftover.mark().schema() + "; it stays");
            }
            return leftover.mark().remove(connection);
        } finally {
            if (locked) {
                Mark.unlock(connection, leftover.mark().schema());
            }
        }
    }
}
