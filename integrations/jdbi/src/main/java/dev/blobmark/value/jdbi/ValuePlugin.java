package dev.blobmark.value.jdbi;

import dev.blobmark.value.ValueFormat;
import java.sql.Types;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.argument.AbstractArgumentFactory;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.config.ConfigRegistry;
import org.jdbi.v3.core.mapper.ColumnMapper;
import org.jdbi.v3.core.qualifier.QualifiedType;
import org.jdbi.v3.core.spi.JdbiPlugin;

/**
 * Stores bytes that are marked with {@link Encoded} in the value format:
 *
 * <pre>{@code
 * jdbi.installPlugin(new ValuePlugin(FORMAT));
 *
 * record Order(long id, @Encoded byte[] payload) {}
 *
 * update.bindByType("payload", payload, ValuePlugin.ENCODED)
 * }</pre>
 */
public final class ValuePlugin implements JdbiPlugin {

    /** The type of marked bytes. */
    public static final QualifiedType<byte[]> ENCODED =
            QualifiedType.of(byte[].class).with(Encoded.class);

    private final ValueFormat format;

    /** @param format of all columns that are marked; {@code null} stays {@code NULL} */
    public ValuePlugin(ValueFormat format) {
        this.format = format;
    }

    @Override
    public void customizeJdbi(Jdbi jdbi) {
        jdbi.registerArgument(new EncodedArgument(format));
        ColumnMapper<byte[]> mapper = (rows, position, context) -> format.decode(rows.getBytes(position));
        jdbi.registerColumnMapper(ENCODED, mapper);
    }

    /** Found by its mark. */
    @Encoded
    private static final class EncodedArgument extends AbstractArgumentFactory<byte[]> {

        private final ValueFormat format;

        EncodedArgument(ValueFormat format) {
            super(Types.VARBINARY);
            this.format = format;
        }

        @Override
        protected Argument build(byte[] value, ConfigRegistry config) {
            return (position, statement, context) -> statement.setBytes(position, format.encode(value));
        }
    }
}
