/**
 * What codecs do to a user's values: stored bytes, encoding time and decoding time, measured on a sample of them. No
 * server is needed here. What to recommend is decided in {@code dev.blobmark.advice}.
 */
package dev.blobmark.lab.advice;
