/**
 * Values to bytes and back: one-shot, with the caller's buffers. {@link dev.blobmark.codec.Codecs#parse} gives a codec
 * by its name, {@link dev.blobmark.codec.Codec} encodes and decodes. Only what is public here is the API; it follows
 * Semantic Versioning, and a test compares it with a recorded list. Nothing here knows of databases or measuring.
 */
package dev.blobmark.codec;
