package dev.blobmark.lab.store;

import java.sql.SQLException;
import java.util.Optional;

/**
 * The SQL of a kind of store, with names of tables as they are in its schema. Tables of values have the columns {@code id} and
 * {@code data}, sets the column {@code id} alone.
 */
public interface Dialect {

    /** Selects a value by its key. */
    String select(String table, Decode decode);

    /** Selects all values in the order of their keys. */
    String scan(String table, Decode decode);

    /** Inserts rows: key and value of each, in this order. */
    String insert(String table, int rows);

    /** Gives a row another value: the value, then the key. */
    String update(String table);

    /** Asks which keys of a set are there. For a single key, the answer is an empty result or a row; for more, it is the keys. */
    String contains(String set, int keys);

    /** Counts the rows. */
    String count(String table);

    /** Has the server read all values of a table without sending them. */
    String readThrough(String table);

    /** Has the server open a table without reading a row of it. */
    String open(String table);

    /** The code of an error that a busy server may give and that an operation may try again after; empty for any other error. */
    Optional<String> transientCode(Exception error);

    /** Whether an error ended the whole transaction, and not only the statement. */
    boolean rollsBack(SQLException error);
}
