/**
 * Where values come from: generators, files, and values of the user's own. How values are stored is in {@code store}.
 */
package dev.blobmark.lab.dataset;
