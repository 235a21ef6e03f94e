package dev.blobmark.value.jpa;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hibernate.mapping.Collection;

/**
 * Whether Envers audits a collection. It is recognised by the names of its annotations, so that it need not be there.
 * An annotation of a field and one of its getter count alike, whichever Hibernate uses.
 */
final class EnversAudit {

    private static final String AUDITED = "org.hibernate.envers.Audited";
    private static final String NOT_AUDITED = "org.hibernate.envers.NotAudited";
    private static final String OVERRIDE = "org.hibernate.envers.AuditOverride";
    private static final String OVERRIDES = "org.hibernate.envers.AuditOverrides";

    private EnversAudit() {}

    static boolean includes(Collection collection) {
        String path =
                collection.getRole().substring(collection.getOwnerEntityName().length() + 1);
        Class<?> type = collection.getOwner().getMappedClass();
        boolean isAudited = false;
        for (String name : path.split("\\.")) {
            List<Member> members = members(type, name);
            Set<String> overridden = overridden(type);
            if (members.stream().anyMatch(member -> has(member.element, NOT_AUDITED)) && !overridden.contains(name)) {
                return false;
            }
            isAudited |= classes(type).stream().anyMatch(each -> has(each, AUDITED))
                    || overridden.contains(name)
                    || overridden.contains("")
                    || members.stream().anyMatch(member -> has(member.element, AUDITED));
            type = members.isEmpty() ? Object.class : members.get(0).type;
        }
        return isAudited;
    }

    /**
     * Names of the attributes that {@code @AuditOverride} of the class or of one that it extends has audited, also
     * those that are {@code @NotAudited}. An empty name stands for all attributes of a class, except those.
     */
    private static Set<String> overridden(Class<?> type) {
        return classes(type).stream()
                .flatMap(each -> Arrays.stream(each.getAnnotations()))
                .flatMap(each -> isNamed(each, OVERRIDES)
                        ? Arrays.stream((Annotation[]) element(each, "value"))
                        : Stream.of(each))
                .filter(each -> isNamed(each, OVERRIDE) && (boolean) element(each, "isAudited"))
                .map(each -> (String) element(each, "name"))
                .collect(Collectors.toSet());
    }

    private static Object element(Annotation annotation, String name) {
        try {
            return annotation.annotationType().getMethod(name).invoke(annotation);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + annotation, e);
        }
    }

    /** A field, or a getter. */
    private record Member(AnnotatedElement element, Class<?> type) {}

    private static List<Member> members(Class<?> type, String name) {
        List<Member> members = new ArrayList<>();
        for (Class<?> each : classes(type)) {
            for (Field field : each.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    members.add(new Member(field, field.getType()));
                }
            }
            for (Method method : each.getDeclaredMethods()) {
                if (method.getParameterCount() == 0
                        && (method.getName().equalsIgnoreCase("get" + name)
                                || method.getName().equals(name))) {
                    members.add(new Member(method, method.getReturnType()));
                }
            }
        }
        return members;
    }

    /** The class and those that it extends. */
    private static List<Class<?>> classes(Class<?> type) {
        List<Class<?>> classes = new ArrayList<>();
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            classes.add(each);
        }
        return classes;
    }

    private static boolean has(AnnotatedElement element, String annotation) {
        return Arrays.stream(element.getAnnotations()).anyMatch(each -> isNamed(each, annotation));
    }

    private static boolean isNamed(Annotation annotation, String name) {
        return annotation.annotationType().getName().equals(name);
    }
}
