package dev.blobmark.value.jpa;

import java.util.Arrays;
import org.eclipse.persistence.internal.sessions.AbstractSession;
import org.eclipse.persistence.mappings.DirectToFieldMapping;

/** A mapping of EclipseLink that compares bytes without converting them. */
final class ComparedBytesMapping extends DirectToFieldMapping {

    private static final long serialVersionUID = 1L;

    /** @param replaced has what annotations and XML state, and is not initialized yet */
    ComparedBytesMapping(DirectToFieldMapping replaced) {
        setDescriptor(replaced.getDescriptor());
        setAttributeName(replaced.getAttributeName());
        setAttributeAccessor(replaced.getAttributeAccessor());
        setAttributeClassification(replaced.getAttributeClassification());
        setAttributeClassificationName(replaced.getAttributeClassificationName());
        setField(replaced.getField());
        setConverter(replaced.getConverter());
        if (replaced.isMutable()) { // otherwise the converter decides, as for what is replaced
            setIsMutable(true);
        }
        setIsReadOnly(replaced.isReadOnly());
        setIsOptional(replaced.isOptional());
        setIsLazy(replaced.isLazy());
        setIsCacheable(replaced.isCacheable());
        setWeight(replaced.getWeight());
        setNullValue(replaced.getNullValue());
        setProperties(replaced.getProperties());
    }

    @Override
    protected boolean compareObjectValues(Object one, Object other, AbstractSession session) {
        return one instanceof byte[] bytes && other instanceof byte[] others
                ? Arrays.equals(bytes, others)
                : super.compareObjectValues(one, other, session);
    }
}
