package dev.blobmark.value.jpa;

import java.lang.reflect.AnnotatedElement;
import java.util.List;
import org.hibernate.MappingException;
import org.hibernate.annotations.TenantId;
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
import org.hibernate.mapping.SimpleValue;
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
 * {@code DIRTY} each update fails, and an element that was removed from a set stays in its table. Envers compares the
 * elements of collections in this way.
 *
 * <p>Hibernate finds this class by itself.
 */
public final class ComparedValuesCheck implements Integrator {

    @Override
    public void integrate(Metadata metadata, BootstrapContext bootstrap, SessionFactoryImplementor sessions) {
        for (PersistentClass entity : metadata.getEntityBindings()) {
            requireRowsAreFound(entity);
            requireRowsAreJoined(metadata, entity.getEntityName(), entity.getPropertyClosure());
        }
        for (Collection collection : metadata.getCollectionBindings()) {
            requireRowsAreFound(collection);
            requireRowsAreJoined(metadata, collection);
            requireNotAudited(collection);
        }
    }

    private static void requireRowsAreFound(PersistentClass entity) {
        if (hasEncoded(entity.getIdentifier())) {
            throw isFoundBy(entity.getEntityName(), "identifier");
        }
        OptimisticLockStyle style = entity.getOptimisticLockStyle();
        boolean isCompared = style == OptimisticLockStyle.ALL || style == OptimisticLockStyle.DIRTY;
        for (Property property : entity.getPropertyClosure()) {
            if (property.isNaturalIdentifier() && hasEncoded(property.getValue())) {
                throw isFoundBy(entity.getEntityName(), "natural identifier '" + property.getName() + "'");
            }
            if (hasEncodedPartitionKey(property.getValue())) {
                throw isFoundBy(entity.getEntityName(), "partition key '" + property.getName() + "'");
            }
            if (hasEncoded(property.getValue()) && isTenant(entity, property)) {
                throw isFoundBy(entity.getEntityName(), "tenant identifier '" + property.getName() + "'");
            }
            // to exclude an attribute within an embedded one has no effect
            if (isCompared && property.isOptimisticLocked() && hasEncoded(property.getValue())) {
                throw new MappingException(entity.getEntityName() + " with lock type " + style
                        + ": Hibernate would compare what is stored for '" + property.getName()
                        + "', and what a value is encoded to can change; use @Version, or exclude the whole attribute by"
                        + " @OptimisticLock(excluded = true)");
            }
        }
    }

    private static MappingException isFoundBy(String rows, String attribute) {
        return new MappingException(rows + ": a row is found by its " + attribute
                + ", so that must not be encoded: what a value is encoded to can change");
    }

    private static boolean hasEncodedPartitionKey(Value value) {
        return value instanceof Component embedded
                ? embedded.getProperties().stream().anyMatch(property -> hasEncodedPartitionKey(property.getValue()))
                : value instanceof SimpleValue simple && simple.isPartitionKey() && isEncoded(value);
    }

    /** The mapping shows it by a filter only, whose class is another one in each version of Hibernate. */
    private static boolean isTenant(PersistentClass entity, Property property) {
        return entity.hasPojoRepresentation()
                && property.getGetter(entity.getMappedClass()).getMember() instanceof AnnotatedElement member
                && member.isAnnotationPresent(TenantId.class);
    }

    private static void requireRowsAreJoined(Metadata metadata, Collection collection) {
        if (collection.getReferencedPropertyName() != null) {
            requireRowsAreJoined(collection.getRole(), collection.getOwner(), collection.getReferencedPropertyName());
        }
        requireRowsAreJoined(metadata, collection.getRole(), collection.getElement());
        if (collection instanceof IndexedCollection indexed) {
            requireRowsAreJoined(metadata, collection.getRole(), indexed.getIndex());
        }
    }

    private static void requireRowsAreJoined(Metadata metadata, String path, List<Property> properties) {
        properties.forEach(
                property -> requireRowsAreJoined(metadata, path + "." + property.getName(), property.getValue()));
    }

    private static void requireRowsAreJoined(Metadata metadata, String path, Value value) {
        if (value instanceof Component embedded) {
            requireRowsAreJoined(metadata, path, embedded.getProperties());
        } else if (value instanceof ToOne reference && reference.getReferencedPropertyName() != null) {
            requireRowsAreJoined(
                    path,
                    metadata.getEntityBinding(reference.getReferencedEntityName()),
                    reference.getReferencedPropertyName());
        }
    }

    private static void requireRowsAreJoined(String path, PersistentClass entity, String referenced) {
        if (hasEncoded(entity.getReferencedProperty(referenced).getValue())) {
            throw new MappingException(path + ": rows would be joined by what is stored for '" + referenced
                    + "', and what a value is encoded to can change; refer to the identifier");
        }
    }

    /**
     * Elements of lists and values of maps are found by their index or key, and those of other collections written
     * again.
     */
    private static void requireRowsAreFound(Collection collection) {
        if (hasEncodedPartitionKey(collection.getElement())) {
            throw isFoundBy(collection.getRole(), "partition key");
        }
        boolean isCompared =
                collection.isSet() && hasEncoded(collection.getElement()) && !isWrittenAnew(collection.getElement())
                        || collection instanceof IndexedCollection indexed && hasEncoded(indexed.getIndex());
        if (isCompared) {
            throw new MappingException(
                    collection.getRole() + ": Hibernate would look for an element by what is stored for"
                            + " it, and what a value is encoded to can change, so that elements would not be removed; use a list"
                            + " with @OrderColumn, a map whose keys are not encoded, or an entity for the element");
        }
    }

    private static void requireNotAudited(Collection collection) {
        boolean isEncoded = hasEncoded(collection.getElement())
                || collection instanceof IndexedCollection indexed && hasEncoded(indexed.getIndex());
        if (isEncoded && EnversAudit.includes(collection)) {
            throw new MappingException(
                    collection.getRole() + ": Envers would look for the elements of a revision by what"
                            + " is stored for them, and what a value is encoded to can change, so that removed elements would stay"
                            + " in later revisions; add @NotAudited to the collection, and no @AuditOverride that undoes it");
        }
    }

    /** Hibernate deletes and inserts all elements of such a set. */
    private static boolean isWrittenAnew(Value element) {
        return element instanceof Component
                && element.getSelectables().stream()
                        .allMatch(each -> !(each instanceof Column column) || column.isNullable()); // or a formula
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
