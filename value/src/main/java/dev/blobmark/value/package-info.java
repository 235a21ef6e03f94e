/**
 * A format for values in a database: encoded values with a header of at most 8 bytes, next to values without one. Begin
 * with {@link dev.blobmark.value.ValueFormat}. The format is specified in {@code docs/value-format.md}.
 */
package dev.blobmark.value;
