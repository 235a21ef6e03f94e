package dev.blobmark.lab.store;

import dev.blobmark.lab.study.Factor;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A way in which InnoDB keeps a table.
 *
 * @param id level of the factor {@code layout}
 * @param description one line for people
 * @param options what follows the column list in {@code CREATE TABLE}
 * @param expected what the server must say of the table afterwards, by the name of the fact (see {@link Table#facts})
 */
public record Layout(String id, String description, String options, Map<String, String> expected) {

    /** Every layout; adding one is adding a line. */
    public static final List<Layout> ALL = List.of(
            new Layout(
                    "dynamic",
                    "ROW_FORMAT=DYNAMIC: values over about half a page go to pages of their own",
                    "ENGINE=InnoDB ROW_FORMAT=DYNAMIC",
                    Map.of("engine", "InnoDB", "row_format", "Dynamic", "zip_page_size", "0", "space_type", "Single")),
            new Layout(
                    "compressed",
                    "ROW_FORMAT=COMPRESSED: zlib by the server, pages of the server's default block size (8 KB)",
                    "ENGINE=InnoDB ROW_FORMAT=COMPRESSED",
                    Map.of(
                            "engine",
                            "InnoDB",
                            "row_format",
                            "Compressed",
                            "zip_page_size",
                            "8192",
                            "space_type",
                            "Single")));

    public static final Factor<Layout> FACTOR =
            Factor.ofWords("layout", Factor.Home.METHOD, "how InnoDB keeps the table", ALL, Layout::id);

    public Layout {
        expected = Map.copyOf(expected);
    }

    /**
     * Server variables that the layout needs, on a server that is started for it: those that only some servers have begin with
     * {@code loose_}.
     */
    public SortedMap<String, String> serverVariables() {
        return Collections.emptySortedMap();
    }

    /** How what the server made differs from what was asked for; empty where it does not. */
    Optional<String> downgrade(Map<String, String> facts) {
        for (var fact : expected.entrySet()) {
            String found = facts.getOrDefault(fact.getKey(), "unknown");
            if (!found.equalsIgnoreCase(fact.getValue())) {
                return Optional.of("asked for " + options + ", but " + fact.getKey() + " is " + found + " instead of "
                        + fact.getValue());
            }
        }
        return Optional.empty();
    }
}
