package dev.blobmark.value.jpa;

import dev.blobmark.value.ValueFormat;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.usertype.UserType;

/**
 * Stores an attribute of bytes in the value format, as a type of Hibernate. Hibernate makes types itself, so a type has
 * its format:
 *
 * <pre>{@code
 * public class PayloadType extends ValueType {
 *     public PayloadType() {
 *         super(Formats.PAYLOAD);
 *     }
 * }
 *
 * @Type(PayloadType.class)
 * private byte[] payload;
 * }</pre>
 */
public abstract class ValueType implements UserType<byte[]> {

    private final ValueFormat format;

    /** @param format of the column; {@code null} stays {@code NULL} */
    protected ValueType(ValueFormat format) {
        this.format = format;
    }

    @Override
    public final int getSqlType() {
        return Types.VARBINARY;
    }

    @Override
    public final Class<byte[]> returnedClass() {
        return byte[].class;
    }

    @Override
    public final boolean equals(byte[] one, byte[] other) {
        return Arrays.equals(one, other);
    }

    @Override
    public final int hashCode(byte[] value) {
        return Arrays.hashCode(value);
    }

    @Override
    public final byte[] nullSafeGet(ResultSet rows, int position, WrapperOptions options) throws SQLException {
        return format.decode(rows.getBytes(position));
    }

    @Override
    public final void nullSafeSet(PreparedStatement statement, byte[] value, int position, WrapperOptions options)
            throws SQLException {
        statement.setBytes(position, format.encode(value));
    }

    @Override
    public final byte[] deepCopy(byte[] value) {
        return value == null ? null : value.clone();
    }

    @Override
    public final boolean isMutable() {
        return true;
    }
}
