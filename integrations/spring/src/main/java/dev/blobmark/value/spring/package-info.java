/** The value format of {@link dev.blobmark.value.ValueFormat} in Spring Data JDBC and R2DBC: a converter. */
package dev.blobmark.value.spring;
