package dev.blobmark.report;

import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Manifest.MeasuredDataset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** Facts about a user's own values, and about columns of text and JSON. */
final class ValueFacts {

    private ValueFacts() {}

    /** Facts by name; none for generated values in columns of bytes. */
    static Map<String, String> of(Manifest manifest) {
        Map<String, String> facts = new LinkedHashMap<>();
        List<String> values = manifest.datasets().stream()
                .filter(dataset -> dataset.whole().isPresent())
                .map(ValueFacts::describe)
                .toList();
        if (!values.isEmpty()) {
            facts.put("Values", String.join("; ", values));
        }
        String columns = manifest.stores().stream()
                .map(LoadedStore::verified)
                .filter(verified -> verified.containsKey("collation_name"))
                .map(ValueFacts::describe)
                .distinct()
                .collect(Collectors.joining("; "));
        if (!columns.isEmpty()) {
            facts.put("Column", columns);
        }
        return facts;
    }

    private static String describe(MeasuredDataset dataset) {
        SortedMap<String, Long> sizes = dataset.distribution();
        return Figures.plural(dataset.count(), "value") + " of " + dataset.id()
                + dataset.whole()
                        .flatMap(whole -> whole.columnType())
                        .map(type -> " (" + type + ")")
                        .orElse("")
                + ", " + Figures.bytes(sizes.get("min")) + " to " + Figures.bytes(sizes.get("max")) + ", median "
                + Figures.bytes(sizes.get("p50")) + "; in all "
                + OwnValuesTable.all(dataset.whole().orElseThrow());
    }

    private static String describe(SortedMap<String, String> verified) {
        if (verified.get("column_type").equals("json")) {
            return "JSON, MySQL's binary type: a document comes back in MySQL's form, and is compared as a document";
        }
        if (verified.containsKey("check_clause")) {
            return "JSON, which is LONGTEXT with a check in MariaDB, and not MySQL's binary type: a document comes back as it"
                    + " was stored";
        }
        return verified.get("column_type") + " in " + verified.get("character_set_name") + ", "
                + verified.get("collation_name");
    }
}
