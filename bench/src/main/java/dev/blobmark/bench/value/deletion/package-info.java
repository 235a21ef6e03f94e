/**
 * Values are moved by others while a dictionary is deleted, and what is left of them is judged; see
 * {@link dev.blobmark.bench.value.deletion.ValueDeletion}.
 */
package dev.blobmark.bench.value.deletion;
