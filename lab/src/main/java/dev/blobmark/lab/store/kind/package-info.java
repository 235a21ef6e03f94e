/** The list of the kinds of stores. Each kind is in {@code store} or in a package of its own below that. */
package dev.blobmark.lab.store.kind;
