package dev.blobmark.value.jpa;

import java.util.List;
import org.hibernate.MappingException;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.OptimisticLockStyle;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.mapping.Collection;
import org.hibernate.mapping.Column;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.IndexedCollection;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.hibernate.mapping.ToOne;
import org.hibernate.mapping.Value;
import org.hibernate.service.spi.SessionFactoryServiceRegistry;
import org.hibernate.type.ConvertedBasicType;
import org.hibernate.type.CustomType;
import org.hibernate.type.Type;
import org.hibernate.type.descriptor.converter.spi.JpaAttributeConverter;

/**
 * Refuses mappings in which Hibernate looks for a row by {@code WHERE payload = ?} with a value that it encodes again.
 * That gives other bytes than those that are stored, when writing has started since, or the codec, its level, its
 * library or its dictionary has changed. Then the row is not found: with {@code OptimisticLockType.ALL} and
 * {@code DIRTY} each update fails, and an element that was removed from a set stays in its table.
 *
 * <p>Hibernate finds this class by itself.
 */
public final class ComparedValuesCheck implements Integrator {

    @Override
    public void integrate(Metadata metadata, BootstrapContext bootstrap, SessionFactoryImplementor sessions) {
        for (PersistentClass entity : metadata.getEntityBindings()) {
            requireRowsAreFound(entity);
            entity.getPropertyClosure().forEach(property -> requireRowsAreJoined(metadata, entity, property));
        }
        for (Collection collection : metadata.getCollectionBindings()) {
            requireRowsAreFound(collection);
        }
    }

    private static void requireRowsAreFound(PersistentClass entity) {
        if (hasEncoded(entity.getIdentifier())) {
            throw new MappingException(entity.getEntityName()
                    + ": a row is found by its identifier, so that must not be encoded: what a value is encoded to can"
                    + " change");
        }
        for (Property property : entity.getPropertyClosure()) {
            if (property.isNaturalIdentifier() && hasEncoded(property.getValue())) {
                throw new MappingException(entity.getEntityName() + ": a row is found by its natural identifier '"
                        + property.getName() + "', so that must not be encoded: what a value is encoded to can change");
            }
        }
        OptimisticLockStyle style = entity.getOptimisticLockStyle();
        if (style == OptimisticLockStyle.ALL || style == OptimisticLockStyle.DIRTY) {
            requireNoneEncoded(entity.getPropertyClosure(), entity.getEntityName() + " with lock type " + style);
        }
    }

    private static void requireRowsAreJoined(Metadata metadata, PersistentClass entity, Property property) {
        if (property.getValue() instanceof ToOne reference
                && reference.getReferencedPropertyName() != null
                && hasEncoded(metadata.getEntityBinding(reference.getReferencedEntityName())
                        .getReferencedProperty(reference.getReferencedPropertyName())
                        .getValue())) {
            throw new MappingException(entity.getEntityName() + "." + property.getName()
                    + ": rows would be joined by what is stored for '" + reference.getReferencedPropertyName()
                    + "', and what a value is encoded to can change; refer to the identifier");
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

    /**
     * Elements of lists and values of maps are found by their index or key, and those of other collections written
     * again.
     */
    private static void requireRowsAreFound(Collection collection) {
        boolean isFoundByElement = collection.isSet() && !isWrittenAnew(collection.getElement());
        boolean isCompared = isFoundByElement && hasEncoded(collection.getElement())
                || collection instanceof IndexedCollection indexed && hasEncoded(indexed.getIndex());
        if (isCompared) {
            throw new MappingException(
                    collection.getRole() + ": Hibernate would look for an element by what is stored for"
                            + " it, and what a value is encoded to can change, so that elements would not be removed; use a list"
                            + " with @OrderColumn, a map whose keys are not encoded, or an entity for the element");
        }
    }

    /** Hibernate deletes and inserts all elements of such a set. */
    private static boolean isWrittenAnew(Value element) {
        return element instanceof Component && element.getColumns().stream().allMatch(Column::isNullable);
    }

    private static boolean hasEncoded(Value value) {
        return value instanceof Component embedded
                ? embedded.getProperties().stream().anyMatch(property -> hasEncoded(property.getValue()))
                : value != null && isEncoded(value);
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
