package dev.blobmark.value.jpa;

import java.lang.reflect.Method;
import java.util.List;
import org.eclipse.persistence.descriptors.ClassDescriptor;
import org.eclipse.persistence.mappings.DatabaseMapping;
import org.eclipse.persistence.mappings.DirectToFieldMapping;
import org.eclipse.persistence.mappings.converters.ConverterClass;
import org.eclipse.persistence.sessions.Session;
import org.eclipse.persistence.sessions.SessionCustomizer;

/**
 * Makes EclipseLink 4 and 5 compare attributes of bytes as they are. Without it, a flush that finds another array
 * encodes the old value and the new one to compare them, and then encodes the new one to store it.
 *
 * <pre>{@code
 * <property name="eclipselink.session.customizer" value="dev.blobmark.value.jpa.ValueSessionCustomizer"/>
 * }</pre>
 *
 * <p>An application with a customizer of its own calls {@link #customize} there. It replaces the mappings of all
 * attributes with an {@code AttributeConverter}, but for those of keys. Attributes that are no arrays of bytes are
 * compared as before. Changes of the array itself are found if the attribute is {@code @Mutable}.
 */
public final class ValueSessionCustomizer implements SessionCustomizer {

    @Override
    public void customize(Session session) throws ReflectiveOperationException {
        // returns a Vector in EclipseLink 4 and a List in 5, so that compiled code would need one of them
        Method mappings = ClassDescriptor.class.getMethod("getMappings");
        for (ClassDescriptor descriptor : session.getDescriptors().values()) {
            replace(mappings.invoke(descriptor));
        }
    }

    @SuppressWarnings("unchecked")
    private static void replace(Object mappings) {
        ((List<DatabaseMapping>) mappings).replaceAll(ValueSessionCustomizer::compared);
    }

    private static DatabaseMapping compared(DatabaseMapping mapping) {
        return mapping.getClass() == DirectToFieldMapping.class
                        && ((DirectToFieldMapping) mapping).getConverter() instanceof ConverterClass
                        && !mapping.isJPAId()
                ? new ComparedBytesMapping((DirectToFieldMapping) mapping)
                : mapping;
    }
}
