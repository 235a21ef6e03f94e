/** The value format of {@link dev.blobmark.value.ValueFormat} in Micrometer: meters of ratio and times. */
package dev.blobmark.value.micrometer;
