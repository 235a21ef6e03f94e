package dev.blobmark.mysql.table;

import java.util.List;
import java.util.Optional;

/** A key of one column of type INT, of a table that no server has. */
public final class NumberKey {

    private NumberKey() {}

    public static TableKey of(TableColumn column, String name) {
        KeyColumn part = new KeyColumn(
                name, 0, "int", "int", Optional.empty(), Optional.empty(), 0, false, KeyColumn.Kind.NUMBER);
        return new TableKey(null, column, "PRIMARY", List.of(part));
    }
}
