package dev.blobmark.lab.run;

import dev.blobmark.lab.measurement.Amounts;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Remarks on the figures of a sample.
 *
 * @param flags words that raise a doubt
 * @param events sentences about what happened during the measurement
 * @param errors number of errors that were retried, by the server's code
 * @param unknown why a field of the sample has no value, by the field's name
 */
public record Remarks(
        List<String> flags, List<String> events, SortedMap<String, Long> errors, SortedMap<String, String> unknown) {

    public static final Remarks NONE = new Remarks(List.of(), List.of(), new TreeMap<>(), new TreeMap<>());

    public Remarks {
        flags = List.copyOf(flags);
        events = List.copyOf(events);
        errors = Amounts.sorted(errors);
        unknown = Amounts.sorted(unknown);
    }

    public static Remarks unknown(SortedMap<String, String> unknown) {
        return new Remarks(List.of(), List.of(), new TreeMap<>(), unknown);
    }

    public Remarks withFlag(String flag) {
        return new Remarks(append(flags, flag), events, errors, unknown);
    }

    public Remarks withEvent(String event) {
        return new Remarks(flags, append(events, event), errors, unknown);
    }

    /** The same with other reasons for missing fields. */
    public Remarks withUnknown(SortedMap<String, String> reasons) {
        return new Remarks(flags, events, errors, reasons);
    }

    private static List<String> append(List<String> list, String element) {
        return Stream.concat(list.stream(), Stream.of(element)).toList();
    }
}
