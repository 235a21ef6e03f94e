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
import org.jooq.impl.DefaultBinding;

/**
 * The same as {@link ValueConverter} for generated code, which makes its bindings itself; so a binding has its format:
 *
 * <pre>{@code
 * public class PayloadBinding extends ValueBinding {
 *     public PayloadBinding() {
 *         super(Formats.PAYLOAD);
 *     }
 * }
 * }</pre>
 */
public abstract class ValueBinding implements Binding<byte[], byte[]> {

    private static final long serialVersionUID = 1L;

    private final transient Binding<byte[], byte[]> binding;

    /** @param format of the column; {@code null} stays {@code NULL} */
    protected ValueBinding(ValueFormat format) {
        binding = DefaultBinding.binding(new ValueConverter(format));
    }

    @Override
    public final Converter<byte[], byte[]> converter() {
        return binding.converter();
    }

    @Override
    public final void sql(BindingSQLContext<byte[]> context) throws SQLException {
        binding.sql(context);
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
}
