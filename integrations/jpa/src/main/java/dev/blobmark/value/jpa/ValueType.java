package dev.blobmark.value.jpa;

import dev.blobmark.value.ValueFormat;
import java.io.Serializable;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.usertype.UserType;

/**
 * Stores an attribute of bytes in the value format, as a type of Hibernate 6.6 or 7. Hibernate makes types itself, so a
 * type has its format:
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
 *
 * <p>A load decodes once, and a flush encodes once if the bytes were changed: Hibernate compares the values, not what
 * is stored for them.
 *
 * <p>Hibernate does not ask this type for parameters of {@code insert into … values (:p)} in HQL, or of functions such
 * as {@code coalesce(:p, payload)}: these are stored without being encoded. {@link ValueAttributeConverter} is asked.
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

    /** Called by Hibernate 6. */
    @SuppressWarnings("removal")
    @Override
    public final byte[] nullSafeGet(
            ResultSet rows, int position, SharedSessionContractImplementor session, Object owner) throws SQLException {
        return format.decode(rows.getBytes(position));
    }

    /** Called by Hibernate 7. */
    @Override
    public final byte[] nullSafeGet(ResultSet rows, int position, WrapperOptions options) throws SQLException {
        return format.decode(rows.getBytes(position));
    }

    /** Called by Hibernate 6. */
    @SuppressWarnings("removal")
    @Override
    public final void nullSafeSet(
            PreparedStatement statement, byte[] value, int position, SharedSessionContractImplementor session)
            throws SQLException {
        statement.setBytes(position, format.encode(value));
    }

    /** Called by Hibernate 7. */
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

    /** What the second-level cache holds: the value itself. Hibernate 6 has no default for this. */
    @Override
    public final Serializable disassemble(byte[] value) {
        return deepCopy(value);
    }

    @Override
    public final byte[] assemble(Serializable cached, Object owner) {
        return deepCopy((byte[]) cached);
    }

    @Override
    public final byte[] replace(byte[] detached, byte[] managed, Object owner) {
        return deepCopy(detached);
    }
}
