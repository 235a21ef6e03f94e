package dev.blobmark.value.jdbi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.jdbi.v3.core.qualifier.Qualifier;

/**
 * Marks bytes that are stored in the value format: a parameter, a field, or an accessor of a type that rows are mapped
 * to. Bytes without it are stored as they are. {@link ValuePlugin} must be installed.
 */
@Qualifier @Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE})
public @interface Encoded {}
