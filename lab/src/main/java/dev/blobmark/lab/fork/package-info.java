/**
 * The processes that measure: how they are started, the messages between parent and child, and the order of their work.
 * Measuring within one of them is in {@code engine}; starting servers and filling tables is in {@code conduct}.
 */
package dev.blobmark.lab.fork;
