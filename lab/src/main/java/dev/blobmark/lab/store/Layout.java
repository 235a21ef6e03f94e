package dev.blobmark.lab.store;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.mysql.server.ServerIdentity;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * How InnoDB or a cluster stores a table.
 *
 * @param id level of the factor {@code layout}
 * @param description one line for people
 * @param options what follows the column list in {@code CREATE TABLE}, on MySQL and MariaDB alike
 * @param expected what the server must report of the table afterwards, by the names of {@link MySqlTable#facts}
 * @param serverVariables global variables that are set on an own server if it has them
 * @param unsupported why a server cannot create such a table; empty if it may be able to
 */
public record Layout(
        String id,
        String description,
        String options,
        Map<String, String> expected,
        Map<String, String> serverVariables,
        Function<ServerIdentity, Optional<String>> unsupported) {

    private static final String CLUSTER_ENGINE = "ndbcluster";

    /** A fact: what the server adds to the definition of the key. */
    static final String KEY_EXTRA = "key_extra";

    private static final String AUTO_INCREMENT = "auto_increment";

    private static final String PAGE_SIZE = "innodb_page_size";
    private static final String ALGORITHM = "innodb_compression_algorithm";

    /** MariaDB's default. */
    private static final String DEFAULT_ALGORITHM = "zlib";

    /** The algorithms of every MySQL that compresses pages. */
    private static final List<String> MYSQL_ALGORITHMS = List.of("zlib", "lz4");

    /** All layouts. To add one, add a line. */
    public static final List<Layout> ALL = Stream.of(
                    Stream.of(
                            plain("dynamic", "values over about half a page are stored on overflow pages"),
                            plain("compact", "the first 768 bytes of a long value are stored in its row"),
                            plain(
                                    "redundant",
                                    "like compact, with the longer row headers of the time before MySQL 5.0"),
                            compressed()),
                    Stream.of(1, 2, 4, 8, 16).map(Layout::compressed),
                    // the algorithms of MariaDB 11.4
                    Stream.of("zlib", "lz4", "lzo", "lzma", "bzip2", "snappy").map(Layout::page),
                    Stream.of(clustered(), clusteredAndNumbered()))
            .flatMap(layouts -> layouts)
            .toList();

    public static final Factor<Layout> FACTOR = Factor.ofWords(
            "layout",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.STORE),
            Set.of(Factor.Use.STORE, Factor.Use.MYSQL),
            "how InnoDB stores the table, or that a cluster does",
            ALL,
            Layout::id);

    public Layout {
        expected = Map.copyOf(expected);
        serverVariables = Map.copyOf(serverVariables);
    }

    private static Layout plain(String rowFormat, String description) {
        return new Layout(
                rowFormat,
                "ROW_FORMAT=" + rowFormat.toUpperCase(Locale.ROOT) + ": " + description,
                "ENGINE=InnoDB ROW_FORMAT=" + rowFormat.toUpperCase(Locale.ROOT),
                expected(rowFormat, 0, "none"),
                Map.of(),
                server -> Optional.empty());
    }

    private static Layout compressed() {
        return new Layout(
                "compressed",
                "ROW_FORMAT=COMPRESSED: zlib by the server, pages of the server's default block size (8 KB)",
                "ENGINE=InnoDB ROW_FORMAT=COMPRESSED",
                expected("Compressed", 8, "none"),
                Map.of(),
                server -> compressible(server, 8));
    }

    private static Layout compressed(int blockKb) {
        return new Layout(
                "compressed:" + blockKb,
                "ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=" + blockKb + ": the same, in pages of " + blockKb + " KB",
                "ENGINE=InnoDB ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=" + blockKb,
                expected("Compressed", blockKb, "none"),
                Map.of(),
                server -> compressible(server, blockKb));
    }

    private static Layout page(String algorithm) {
        return new Layout(
                "page:" + algorithm,
                "pages compressed by " + algorithm + " as they are written, holes punched into the file",
                // each server ignores the other's comment
                "ENGINE=InnoDB ROW_FORMAT=DYNAMIC /*!50708 COMPRESSION='" + algorithm
                        + "' */ /*M!100100 PAGE_COMPRESSED=1 */",
                expected("Dynamic", 0, algorithm),
                algorithm.equals(DEFAULT_ALGORITHM) ? Map.of() : Map.of(ALGORITHM, algorithm),
                server -> pageCompressible(server, algorithm));
    }

    private static Layout clustered() {
        return clustered(
                "ndb",
                "ENGINE=NDBCLUSTER: in the memory of a cluster's data nodes, with all that is not inline in a parts table",
                Map.of("engine", CLUSTER_ENGINE));
    }

    private static Layout clusteredAndNumbered() {
        return clustered(
                "ndb:auto-increment",
                "the same, with a key that is AUTO_INCREMENT; rows still get given keys",
                Map.of("engine", CLUSTER_ENGINE, KEY_EXTRA, AUTO_INCREMENT));
    }

    private static Layout clustered(String id, String description, Map<String, String> expected) {
        return new Layout(
                id,
                description,
                "ENGINE=NDBCLUSTER",
                expected,
                Map.of(),
                server -> server.cluster().isEmpty()
                        ? Optional.of(
                                "this is " + server
                                        + " without a cluster; start one with --server ndb:DIR, or give an SQL node with --server")
                        : Optional.empty());
    }

    private static Map<String, String> expected(String rowFormat, int blockKb, String pageCompression) {
        return Map.of(
                "engine",
                "InnoDB",
                "row_format",
                rowFormat,
                "zip_page_size",
                Integer.toString(blockKb << 10),
                "space_type",
                "Single",
                "page_compression",
                pageCompression);
    }

    private static Optional<String> compressible(ServerIdentity server, int blockKb) {
        int pageKb = pageBytes(server) >> 10;
        return pageKb > 16 || blockKb > pageKb
                ? Optional.of(PAGE_SIZE + " of this server is " + pageKb + " KB, and compressed blocks of " + blockKb
                        + " KB need pages of " + blockKb + " to 16 KB; it is set when a data directory is made")
                : Optional.empty();
    }

    private static Optional<String> pageCompressible(ServerIdentity server, String algorithm) {
        if (!server.product().equals("MariaDB")) {
            return MYSQL_ALGORITHMS.contains(algorithm)
                    ? Optional.empty()
                    : Optional.of("MySQL compresses pages by " + String.join(" or ", MYSQL_ALGORITHMS)
                            + " only, not by " + algorithm);
        }
        String current = server.variables().getOrDefault(ALGORITHM, "none");
        return current.equals(algorithm)
                ? Optional.empty()
                : Optional.of("this server's " + ALGORITHM + " is " + current + ", for all its tables; start it with "
                        + ALGORITHM + "=" + algorithm
                        + (algorithm.equals("zlib") ? "" : " and plugin_load_add=provider_" + algorithm));
    }

    /** Whether the table is in the data nodes of a cluster, not in a file of the server. */
    public boolean isClustered() {
        return CLUSTER_ENGINE.equals(expected.get("engine"));
    }

    /**
     * Whether the key is AUTO_INCREMENT. Blobmark gives the keys itself, from 0 on, so a session that inserts needs the
     * SQL mode NO_AUTO_VALUE_ON_ZERO.
     */
    public boolean isNumbered() {
        return AUTO_INCREMENT.equals(expected.get(KEY_EXTRA));
    }

    /** The definition of the key {@code id} of a table of values. */
    String key() {
        return "id INT NOT NULL" + (isNumbered() ? " AUTO_INCREMENT" : "") + " PRIMARY KEY";
    }

    /** Whether the server compresses the table. */
    public boolean isCompressed() {
        return hasCompressedBlocks() || compressesPages();
    }

    /** Whether pages are compressed in memory too, so that reading a value decompresses it. */
    public boolean hasCompressedBlocks() {
        return "Compressed".equals(expected.get("row_format"));
    }

    /** Whether pages are compressed when they are written to disk, which needs a file system with hole punching. */
    public boolean compressesPages() {
        return !expected.getOrDefault("page_compression", "none").equals("none");
    }

    /**
     * The length in bytes of the longest value that InnoDB stores entirely in its row {@code (id INT NOT NULL, data NOT
     * NULL)}. A longer value, or a part of it, is stored on overflow pages. Empty if unknown: for compressed blocks,
     * where it depends on the block, and for a cluster.
     *
     * <p>A row must be shorter than half of the free space of an empty page ({@code page_zip_rec_needs_ext}), so that a
     * page holds two rows, and shorter than 16 KB. Besides the value, a row has a header of 5 bytes and 2 bytes for the
     * value's length (redundant: 6, and 8 for the ends of four fields), the key of 4 bytes, a transaction id of 6 and
     * an undo pointer of 7. Seen on MySQL 9.7.4 and MariaDB 11.4.5, with pages of 4 to 64 KB.
     */
    OptionalInt longestInRow(ServerIdentity server) {
        if (isClustered() || hasCompressedBlocks()) {
            return OptionalInt.empty();
        }
        boolean isRedundant = "redundant".equals(expected.get("row_format"));
        int pageBytes = pageBytes(server);
        // the page without its header, its two boundary records, the first two directory slots and its trailer
        int half = (pageBytes - (isRedundant ? 125 + 4 + 8 : 120 + 4 + 8)) / 2;
        int max = isRedundant && server.product().equals("MariaDB") ? (16 << 10) - 1 : 16 << 10;
        return OptionalInt.of(Math.min(half, max) - 1 - (isRedundant ? 6 + 8 : 5 + 2) - 4 - 6 - 7);
    }

    static int pageBytes(ServerIdentity server) {
        return Integer.parseInt(server.variables().getOrDefault(PAGE_SIZE, "16384"));
    }

    /** How the created table differs from the requested one; empty if it does not. */
    Optional<String> downgrade(Map<String, String> facts) {
        return difference(options, expected, facts);
    }

    /** Describes the first fact that differs from the expected one. */
    static Optional<String> difference(String requested, Map<String, String> expected, Map<String, String> facts) {
        for (var fact : new TreeMap<>(expected).entrySet()) {
            String found = facts.getOrDefault(fact.getKey(), "unknown");
            if (!found.equalsIgnoreCase(fact.getValue())) {
                return Optional.of("requested " + requested + ", but " + fact.getKey() + " is " + found + " instead of "
                        + fact.getValue());
            }
        }
        return Optional.empty();
    }
}
