package dev.blobmark.value.springboot;

import dev.blobmark.value.Legacy;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties {@code blobmark.value.*} of one column's format.
 *
 * @param codec what values are encoded with, such as {@code zstd:3}; without it, the format only reads
 * @param writing whether values are encoded as soon as all readers can read them; false stores them in the legacy way
 * @param reads how values without a frame are read: {@code raw}, {@code frames} if there are none and all values have a
 *     frame, or the codec of all of them, such as {@code gzip}
 * @param readsSql whether the column may hold values of {@code COMPRESS()}
 * @param maxLength of a value; 1 B to 1 GiB − 1
 * @param column the tag of the meters, such as {@code orders.payload}
 * @param dataSource name of the bean by which registry and dictionaries are reached; without it, the one or the primary
 * @param registry where readers announce themselves
 * @param dictionaries where dictionaries are found
 */
@ConfigurationProperties("blobmark.value")
public record ValueProperties(
        String codec,
        @DefaultValue("false") boolean writing,
        @DefaultValue("raw") String reads,
        @DefaultValue("false") boolean readsSql,
        @DefaultValue("64MB") DataSize maxLength,
        @DefaultValue("value") String column,
        String dataSource,
        @DefaultValue Registry registry,
        @DefaultValue Dictionaries dictionaries) {

    /** Refuses writing without a codec. */
    public ValueProperties {
        if (writing && codec == null) {
            throw new IllegalArgumentException(
                    "blobmark.value.writing is true; set blobmark.value.codec, such as zstd:3");
        }
    }

    /**
     * Where readers announce themselves.
     *
     * @param schema of the table {@code blobmark_readers}, which must exist; without it, there is no registry
     * @param name of this program, for people; without it, {@code spring.application.name}
     */
    public record Registry(String schema, String name) {}

    /**
     * Where dictionaries are found.
     *
     * @param schema of the table {@code blobmark_dictionaries}, which must exist; without it, there are none
     */
    public record Dictionaries(String schema) {}

    Legacy legacy() {
        return Legacy.named(reads);
    }
}
