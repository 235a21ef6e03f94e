package dev.blobmark.lab.store;

import java.sql.SQLException;
import java.util.Optional;

/**
 * The SQL of a kind of store. Table names are given without the schema. Tables of values have the columns {@code id}
 * and {@code data}; sets have only {@code id}.
 */
public interface Dialect {

    /** Selects a value by its key. */
    String select(String table, Decode decode);

    /** Selects all values in key order. */
    String scan(String table, Decode decode);

    /** Inserts rows; the parameters are key and value of each row. */
    String insert(String table, int rows);

    /** Changes the value of a row; the parameters are the value, then the key. */
    String update(String table);

    /** Selects the keys that are in a set. For one key, the result has one row or none; for more, the keys found. */
    String contains(String set, int keys);

    /** Counts the rows. */
    String count(String table);

    /** Makes the server read all values of a table without sending them. */
    String readThrough(String table);

    /** Makes the server open a table without reading a row. */
    String open(String table);

    /** The code of an error of a busy server after which an operation may be retried; empty for any other error. */
    Optional<String> transientCode(Exception error);

    /** Whether an error ended the whole transaction, not only the statement. */
    boolean rollsBack(SQLException error);
}
