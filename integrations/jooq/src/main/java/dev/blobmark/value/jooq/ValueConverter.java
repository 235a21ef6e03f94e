package dev.blobmark.value.jooq;

import dev.blobmark.value.ValueFormat;
import org.jooq.impl.AbstractConverter;

/**
 * Stores a column of bytes in the value format:
 *
 * <pre>{@code
 * Field<byte[]> payload = DSL.field("payload", SQLDataType.BLOB.asConvertedDataType(new ValueConverter(FORMAT)));
 * }</pre>
 */
public class ValueConverter extends AbstractConverter<byte[], byte[]> {

    private static final long serialVersionUID = 1L;

    private final transient ValueFormat format;

    /** @param format of the column; {@code null} stays {@code NULL} */
    public ValueConverter(ValueFormat format) {
        super(byte[].class, byte[].class);
        this.format = format;
    }

    @Override
    public byte[] from(byte[] stored) {
        return format.decode(stored);
    }

    @Override
    public byte[] to(byte[] value) {
        return format.encode(value);
    }
}
