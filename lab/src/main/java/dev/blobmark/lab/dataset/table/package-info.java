/**
 * Reads samples of the user's tables in small batches by a key. The dataset is {@code TableColumn} in {@code dataset}.
 */
package dev.blobmark.lab.dataset.table;
