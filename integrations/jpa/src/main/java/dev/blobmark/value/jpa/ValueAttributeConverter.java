package dev.blobmark.value.jpa;

import dev.blobmark.value.ValueFormat;
import jakarta.persistence.AttributeConverter;
import org.hibernate.annotations.Mutability;
import org.hibernate.type.descriptor.java.MutableMutabilityPlan;

/**
 * Stores an attribute of bytes in the value format. JPA makes converters itself, so a converter has its format:
 *
 * <pre>{@code
 * @Converter
 * public class PayloadConverter extends ValueAttributeConverter implements AttributeConverter<byte[], byte[]> {
 *     public PayloadConverter() {
 *         super(Formats.PAYLOAD);
 *     }
 * }
 *
 * @Convert(converter = PayloadConverter.class)
 * private byte[] payload;
 * }</pre>
 *
 * <p>A load decodes once, and a flush encodes once if the bytes were changed. Hibernate would copy each value by
 * encoding and decoding it, since it does not know that the attribute is an array. {@link Mutability} states how it is
 * copied; classes that extend this one inherit it. Other providers ignore it, and need no Hibernate.
 *
 * <p>EclipseLink looks for the interface at the converter's own class: without {@code implements AttributeConverter}
 * there, version 4.0.9 ends with a {@code NullPointerException}. Hibernate does not need it. EclipseLink encodes three
 * times for an update, and once with {@link ValueSessionCustomizer}. It stores no change of the array itself unless the
 * attribute is {@code @Mutable}, and does not encode parameters of functions such as {@code coalesce(:p, payload)}.
 */
@Mutability(ValueAttributeConverter.Copied.class)
public abstract class ValueAttributeConverter implements AttributeConverter<byte[], byte[]> {

    private final ValueFormat format;

    /** @param format of the column; {@code null} stays {@code NULL} */
    protected ValueAttributeConverter(ValueFormat format) {
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

    /** Copies an array for Hibernate, which compares it with the attribute when it flushes. */
    public static final class Copied extends MutableMutabilityPlan<byte[]> {

        private static final long serialVersionUID = 1L;

        @Override
        protected byte[] deepCopyNotNull(byte[] value) {
            return value.clone();
        }
    }
}
