/**
 * Where values come from: generators, and the user's own files and tables. Reading tables is in {@code dataset.table};
 * how values are stored is in {@code store}.
 */
package dev.blobmark.lab.dataset;
