package dev.blobmark.value.mybatis;

import dev.blobmark.value.ValueFormat;
import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.apache.ibatis.type.BaseTypeHandler;
import org.apache.ibatis.type.JdbcType;

/**
 * Stores bytes in the value format. MyBatis makes type handlers itself, so a handler has its format:
 *
 * <pre>{@code
 * public class PayloadHandler extends ValueTypeHandler {
 *     public PayloadHandler() {
 *         super(Formats.PAYLOAD);
 *     }
 * }
 *
 * @Insert("INSERT INTO orders (payload) VALUES (#{payload,typeHandler=shop.PayloadHandler})")
 * }</pre>
 */
public abstract class ValueTypeHandler extends BaseTypeHandler<byte[]> {

    private final ValueFormat format;

    /** @param format of the column; {@code null} stays {@code NULL} */
    protected ValueTypeHandler(ValueFormat format) {
        this.format = format;
    }

    @Override
    public final void setNonNullParameter(PreparedStatement statement, int position, byte[] value, JdbcType type)
            throws SQLException {
        statement.setBytes(position, format.encode(value));
    }

    @Override
    public final byte[] getNullableResult(ResultSet rows, String column) throws SQLException {
        return format.decode(rows.getBytes(column));
    }

    @Override
    public final byte[] getNullableResult(ResultSet rows, int position) throws SQLException {
        return format.decode(rows.getBytes(position));
    }

    @Override
    public final byte[] getNullableResult(CallableStatement statement, int position) throws SQLException {
        return format.decode(statement.getBytes(position));
    }
}
