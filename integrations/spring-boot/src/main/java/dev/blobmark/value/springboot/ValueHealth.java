package dev.blobmark.value.springboot;

import dev.blobmark.value.LoadedDictionaries;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What can be read, and whether values are encoded. It is up unless a dictionary is damaged: values that were encoded
 * with it cannot be read.
 */
final class ValueHealth {

    private final Map<String, ValueFormat> formats;
    private final Optional<ValueFormat> probe;
    private final Optional<ValueWriting> writing;
    private final List<LoadedDictionaries> dictionaries;

    /**
     * @param formats by the names of their beans
     * @param probe the format, if it is the starter's: one that no values are written with, whose start asks the
     *     readers
     */
    ValueHealth(
            Map<String, ValueFormat> formats,
            Optional<ValueFormat> probe,
            Optional<ValueWriting> writing,
            List<LoadedDictionaries> dictionaries) {
        this.formats = formats;
        this.probe = probe;
        this.writing = writing;
        this.dictionaries = dictionaries;
    }

    boolean isUp() {
        return dictionaries.stream().allMatch(loaded -> loaded.unusable().isEmpty());
    }

    /** Of one format as they are, of several by the names of their beans. */
    Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        if (formats.size() == 1) {
            addFormat(details, formats.values().iterator().next());
        } else {
            formats.forEach((name, format) -> {
                Map<String, Object> one = new LinkedHashMap<>();
                addFormat(one, format);
                details.put(name, one);
            });
        }
        if (!dictionaries.isEmpty()) {
            details.put("dictionaries", names(loaded -> loaded.numbers().stream()));
            details.put(
                    "withdrawnDictionaries",
                    names(loaded -> loaded.numbers().stream().filter(loaded::isWithdrawn)));
            details.put("damagedDictionaries", names(loaded -> loaded.unusable().stream()));
        }
        return details;
    }

    private void addFormat(Map<String, Object> details, ValueFormat format) {
        details.put(
                "reads",
                Stream.of("brotli", "deflate", "lz4", "mysql", "snappy", "zstd")
                        .filter(format::canRead)
                        .toList());
        details.put("codec", format.codec().orElse("none"));
        Optional<String> preventedBy = preventedBy(format);
        details.put("writing", format.isWriting() && preventedBy.isEmpty());
        preventedBy.ifPresent(why -> details.put("preventedBy", why));
    }

    private Optional<String> preventedBy(ValueFormat format) {
        if (format.isWriting() && probe.isEmpty()) {
            return Optional.empty(); // the readers were asked when it began
        }
        if (!format.isWriting()) {
            return writing.filter(of -> of.isOf(format)).flatMap(ValueWriting::preventedBy);
        }
        try {
            probe.get().startWriting();
            return Optional.empty();
        } catch (IllegalStateException e) {
            return Optional.of(e.getMessage());
        }
    }

    private List<String> names(Function<LoadedDictionaries, Stream<Integer>> numbers) {
        return dictionaries.stream()
                .flatMap(numbers)
                .map(ValueDictionary::name)
                .distinct()
                .sorted()
                .toList();
    }
}
