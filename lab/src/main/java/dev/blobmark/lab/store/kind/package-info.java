/** The list of the kinds of stores. */
package dev.blobmark.lab.store.kind;
