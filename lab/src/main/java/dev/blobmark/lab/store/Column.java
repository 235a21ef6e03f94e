package dev.blobmark.lab.store;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;

/** The type of the column that holds the values. A level of the factor {@code column}. */
public enum Column {
    /** At most 16,777,215 bytes. */
    MEDIUMBLOB;

    public static final Factor<Column> FACTOR = Factor.ofWords(
            "column", Factor.Home.METHOD, "type of the column of the values", Arrays.asList(values()), Column::word);

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    String ddl() {
        return name();
    }
}
