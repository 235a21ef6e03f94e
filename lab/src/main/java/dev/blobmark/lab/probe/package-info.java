/**
 * What is measured without a run: codecs on a sample of a user's values, and the network to a running server. What
 * follows from it is in {@code dev.blobmark.advice}.
 */
package dev.blobmark.lab.probe;
