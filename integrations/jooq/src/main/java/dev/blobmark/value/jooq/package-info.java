/** The value format of {@link dev.blobmark.value.ValueFormat} in jOOQ: a converter and a binding. */
package dev.blobmark.value.jooq;
