package dev.blobmark.bench.reencode.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table, whose parts can be left out one by one.
 *
 * @param columns in their order; one of them is the payload
 * @param payload name of the column whose values are changed
 * @param indexes definitions, the key first
 */
record Table(
        String name, List<Column> columns, String payload, List<String> indexes, String options, String partitions) {

    /** @param definition what follows its name */
    record Column(String name, String definition) {

        String sql() {
            return quoted(name) + " " + definition;
        }
    }

    static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    String ddl() {
        return Stream.concat(columns.stream().map(Column::sql), indexes.stream())
                        .collect(Collectors.joining(",\n  ", "CREATE TABLE " + quoted(name) + " (\n  ", ")"))
                + (options.isEmpty() ? "" : " " + options)
                + (partitions.isEmpty() ? "" : " " + partitions);
    }

    /** The same without a part that it can do without; in an order of how much goes. */
    List<Table> smaller() {
        List<Table> smaller = new ArrayList<>();
        if (!partitions.isEmpty()) {
            smaller.add(new Table(name, columns, payload, indexes, options, ""));
        }
        if (!options.isEmpty()) {
            smaller.add(new Table(name, columns, payload, indexes, "", partitions));
        }
        for (String index : indexes) {
            smaller.add(new Table(name, columns, payload, without(indexes, index), options, partitions));
        }
        for (Column column : columns) {
            if (!column.name().equals(payload)) {
                smaller.add(new Table(name, without(columns, column), payload, indexes, options, partitions));
            }
        }
        return smaller;
    }

    /** The column that the server numbers. */
    Optional<String> numbered() {
        return columns.stream()
                .filter(column -> column.definition().contains("AUTO_INCREMENT"))
                .map(Column::name)
                .findFirst();
    }

    private static <T> List<T> without(List<T> all, T one) {
        return all.stream().filter(each -> each != one).toList();
    }
}
