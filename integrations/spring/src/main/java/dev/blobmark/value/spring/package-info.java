/** The value format of {@link dev.blobmark.value.ValueFormat} in Spring Data JDBC: a converter. */
package dev.blobmark.value.spring;
