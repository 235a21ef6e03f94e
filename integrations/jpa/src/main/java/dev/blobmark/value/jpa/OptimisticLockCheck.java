package dev.blobmark.value.jpa;

import java.util.List;
import org.hibernate.MappingException;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.OptimisticLockStyle;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.hibernate.mapping.Value;
import org.hibernate.service.spi.SessionFactoryServiceRegistry;
import org.hibernate.type.ConvertedBasicType;
import org.hibernate.type.CustomType;
import org.hibernate.type.Type;
import org.hibernate.type.descriptor.converter.spi.JpaAttributeConverter;

/**
 * Refuses entities whose encoded attribute is compared by {@code WHERE payload = ?}, as {@code OptimisticLockType.ALL}
 * and {@code DIRTY} do. Hibernate encodes the former value for it again. That gives other bytes than those that are
 * stored, when writing has started since, or the codec, its level, its library or its dictionary has changed: then each
 * update fails, although nobody else has changed the row.
 *
 * <p>Hibernate finds this class by itself.
 */
public final class OptimisticLockCheck implements Integrator {

    @Override
    public void integrate(Metadata metadata, BootstrapContext bootstrap, SessionFactoryImplementor sessions) {
        for (PersistentClass entity : metadata.getEntityBindings()) {
            OptimisticLockStyle style = entity.getOptimisticLockStyle();
            if (style == OptimisticLockStyle.ALL || style == OptimisticLockStyle.DIRTY) {
                requireNoneEncoded(entity.getPropertyClosure(), entity.getEntityName() + " with lock type " + style);
            }
        }
    }

    private static void requireNoneEncoded(List<Property> properties, String entity) {
        for (Property property : properties) {
            if (property.isOptimisticLocked()) {
                if (property.getValue() instanceof Component embedded) {
                    requireNoneEncoded(embedded.getProperties(), entity);
                } else if (isEncoded(property.getValue())) {
                    throw new MappingException(entity + ": Hibernate would compare what is stored for '"
                            + property.getName() + "', and what a value is encoded to can change; use @Version, or"
                            + " exclude the attribute by @OptimisticLock(excluded = true)");
                }
            }
        }
    }

    private static boolean isEncoded(Value value) {
        Type type = value.getType();
        return type instanceof CustomType<?> custom && custom.getUserType() instanceof ValueType
                || type instanceof ConvertedBasicType<?> converted
                        && converted.getValueConverter() instanceof JpaAttributeConverter<?, ?> converter
                        && ValueAttributeConverter.class.isAssignableFrom(
                                converter.getConverterJavaType().getJavaTypeClass());
    }

    /** Nothing to undo. Hibernate 6 has no default for this. */
    @Override
    public void disintegrate(SessionFactoryImplementor sessions, SessionFactoryServiceRegistry services) {}
}
