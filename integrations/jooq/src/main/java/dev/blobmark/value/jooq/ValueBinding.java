package dev.blobmark.value.jooq;

import dev.blobmark.value.ValueFormat;
import java.sql.SQLException;
import org.jooq.Binding;
import org.jooq.BindingGetResultSetContext;
import org.jooq.BindingGetSQLInputContext;
import org.jooq.BindingGetStatementContext;
import org.jooq.BindingRegisterContext;
import org.jooq.BindingSQLContext;
import org.jooq.BindingSetSQLOutputContext;
import org.jooq.BindingSetStatementContext;
import org.jooq.Converter;
import org.jooq.conf.ParamType;
import org.jooq.impl.AbstractConverter;
import org.jooq.impl.DefaultBinding;

/**
 * Stores a column of bytes in the value format:
 *
 * <pre>{@code
 * Field<byte[]> payload = DSL.field("payload", SQLDataType.BLOB.asConvertedDataType(new ValueBinding(FORMAT)));
 * }</pre>
 *
 * <p>Generated code makes its bindings itself; so a binding has its format:
 *
 * <pre>{@code
 * public class PayloadBinding extends ValueBinding {
 *     public PayloadBinding() {
 *         super(Formats.PAYLOAD);
 *     }
 * }
 * }</pre>
 *
 * <p>jOOQ encodes a parameter that stands for the field itself. In an expression, such as {@code DSL.when(condition,
 * bytes)} or {@code DSL.coalesce(DSL.val(bytes), payload)}, write {@code DSL.val(bytes, payload)}: otherwise the bytes
 * are stored as they are. {@code multiset} returns what is stored.
 *
 * <p>A value is encoded once, when it is set. jOOQ 3.19 would convert it a second time when it renders the statement;
 * that is why there is no converter for this.
 */
public class ValueBinding implements Binding<byte[], byte[]> {

    private static final long serialVersionUID = 1L;

    private final transient Binding<byte[], byte[]> binding;

    /** @param format of the column; {@code null} stays {@code NULL} */
    public ValueBinding(ValueFormat format) {
        binding = DefaultBinding.binding(new ValueConverter(format));
    }

    @Override
    public final Converter<byte[], byte[]> converter() {
        return binding.converter();
    }

    @Override
    public final void sql(BindingSQLContext<byte[]> context) throws SQLException {
        if (context.render().paramType() == ParamType.INLINED) {
            binding.sql(context);
        } else {
            context.render().sql(context.variable());
        }
    }

    @Override
    public final void register(BindingRegisterContext<byte[]> context) throws SQLException {
        binding.register(context);
    }

    @Override
    public final void set(BindingSetStatementContext<byte[]> context) throws SQLException {
        binding.set(context);
    }

    @Override
    public final void set(BindingSetSQLOutputContext<byte[]> context) throws SQLException {
        binding.set(context);
    }

    @Override
    public final void get(BindingGetResultSetContext<byte[]> context) throws SQLException {
        binding.get(context);
    }

    @Override
    public final void get(BindingGetStatementContext<byte[]> context) throws SQLException {
        binding.get(context);
    }

    @Override
    public final void get(BindingGetSQLInputContext<byte[]> context) throws SQLException {
        binding.get(context);
    }

    private static final class ValueConverter extends AbstractConverter<byte[], byte[]> {

        private static final long serialVersionUID = 1L;

        private final transient ValueFormat format;

        ValueConverter(ValueFormat format) {
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
}
