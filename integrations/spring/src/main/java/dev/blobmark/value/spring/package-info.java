/** The value format of {@link dev.blobmark.value.ValueFormat} in another library. */
package dev.blobmark.value.spring;
