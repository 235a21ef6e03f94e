package dev.blobmark.value.spring;

import dev.blobmark.value.ValueFormat;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.Function;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.converter.GenericConverter;

/**
 * Stores attributes of one type in the value format. Spring Data converts by type, so the bytes have a type of their
 * own:
 *
 * <pre>{@code
 * record Payload(byte[] bytes) {}
 *
 * @Bean
 * JdbcCustomConversions conversions() {
 *     return new JdbcCustomConversions(List.of(new ValueTypeConverter<>(FORMAT, Payload.class, Payload::bytes, Payload::new)));
 * }
 * }</pre>
 *
 * <p>With Spring Data R2DBC, whose drivers return arrays or buffers, it is one of {@code R2dbcCustomConversions}.
 * Values are encoded on the thread that subscribes, and decoded on the driver's thread. Neither waits for a connection,
 * unless the format's dictionaries do: give it those that {@link dev.blobmark.value.DictionaryTable#load} has read.
 *
 * @param <T> the type of the attributes
 */
public final class ValueTypeConverter<T> implements GenericConverter {

    private final ValueFormat format;
    private final Class<T> type;
    private final Function<T, byte[]> bytes;
    private final Function<byte[], T> maker;

    /**
     * A converter of one type, to bytes and back.
     *
     * @param format of all columns with attributes of this type
     * @param type that of the attributes
     * @param bytes of an attribute
     * @param maker of an attribute from its bytes
     */
    public ValueTypeConverter(ValueFormat format, Class<T> type, Function<T, byte[]> bytes, Function<byte[], T> maker) {
        this.format = format;
        this.type = type;
        this.bytes = bytes;
        this.maker = maker;
    }

    @Override
    public Set<ConvertiblePair> getConvertibleTypes() {
        return Set.of(
                new ConvertiblePair(type, byte[].class),
                new ConvertiblePair(byte[].class, type),
                new ConvertiblePair(ByteBuffer.class, type));
    }

    @Override
    public Object convert(Object source, TypeDescriptor from, TypeDescriptor to) {
        if (source == null) {
            return null;
        }
        if (source instanceof byte[] stored) {
            return maker.apply(format.decode(stored));
        }
        return source instanceof ByteBuffer stored
                ? maker.apply(format.decode(bytes(stored)))
                : format.encode(bytes.apply(type.cast(source)));
    }

    private static byte[] bytes(ByteBuffer stored) {
        byte[] all = new byte[stored.remaining()];
        stored.duplicate().get(all);
        return all;
    }
}
