package dev.blobmark.value.jpa;

import dev.blobmark.value.ValueFormat;
import jakarta.persistence.AttributeConverter;

/**
 * Stores an attribute of bytes in the value format. JPA makes converters itself, so a converter has its format:
 *
 * <pre>{@code
 * @Converter
 * public class PayloadConverter extends ValueConverter {
 *     public PayloadConverter() {
 *         super(Formats.PAYLOAD);
 *     }
 * }
 *
 * @Convert(converter = PayloadConverter.class)
 * private byte[] payload;
 * }</pre>
 */
public abstract class ValueConverter implements AttributeConverter<byte[], byte[]> {

    private final ValueFormat format;

    /** @param format of the column; {@code null} stays {@code NULL} */
    protected ValueConverter(ValueFormat format) {
        this.format = format;
    }

    @Override
    public final byte[] convertToDatabaseColumn(byte[] value) {
        return format.encode(value);
    }

    @Override
    public final byte[] convertToEntityAttribute(byte[] stored) {
        return format.decode(stored);
    }
}
