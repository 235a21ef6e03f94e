package dev.blobmark.lab.store.postgres;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * How PostgreSQL stores a value that is too long for its row: the storage and the compression of the column. A level of
 * the factor {@code toast}.
 *
 * <p>If a row exceeds 2 KB (TOAST_TUPLE_THRESHOLD), its values are compressed, then moved to the TOAST table in chunks
 * of 2 KB. See the manual's chapter "TOAST".
 */
public enum Toast {
    /** Compressed with PostgreSQL's own algorithm, which is the default, and moved if the row is still too long. */
    PGLZ("extended", Optional.of("pglz")),
    /** Like {@link #PGLZ}, with LZ4. */
    LZ4("extended", Optional.of("lz4")),
    /** Moved without compression. */
    EXTERNAL("external", Optional.empty()),
    /** Compressed, and moved only if the row does not fit into a page of 8 KB. */
    MAIN("main", Optional.of("pglz")),
    MAIN_LZ4("main", Optional.of("lz4")),
    /** Never compressed, never moved: a row must fit into a page. */
    PLAIN("plain", Optional.empty());

    public static final Factor<Toast> FACTOR = Factor.ofWords(
            "toast",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.STORE),
            Set.of(Factor.Use.VALUES, Factor.Use.POSTGRES),
            "how PostgreSQL stores a long value: compressed (pglz, lz4), outside of the row uncompressed (external), …",
            Arrays.asList(values()),
            Toast::word);

    /**
     * The longest value in bytes of a row that must fit into a page: 8,192 less the page's header and a line pointer
     * (28, aligned to 32), the row's header (24), the key (4) and the value's length (4).
     */
    static final int LONGEST_IN_PAGE = 8_128;

    private final String storage;
    private final Optional<String> compression;

    Toast(String storage, Optional<String> compression) {
        this.storage = storage;
        this.compression = compression;
    }

    /** The argument of {@code ALTER TABLE … SET STORAGE}. */
    String storage() {
        return storage;
    }

    /** The compression method; empty if values are not compressed. */
    Optional<String> compression() {
        return compression;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
