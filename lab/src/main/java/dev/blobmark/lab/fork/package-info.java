/**
 * Processes that measure: their start, what parent and child say to each other, and the order of their work. What
 * happens within one of them is in {@code engine}.
 */
package dev.blobmark.lab.fork;
