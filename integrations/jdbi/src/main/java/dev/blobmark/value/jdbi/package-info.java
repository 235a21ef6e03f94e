/** The value format of {@link dev.blobmark.value.ValueFormat} in JDBI: a plugin and the mark of encoded bytes. */
package dev.blobmark.value.jdbi;
