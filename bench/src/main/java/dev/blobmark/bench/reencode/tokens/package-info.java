/**
 * Lists of tokens to which workers append while a change of stored values is made and disturbed:
 * {@link dev.blobmark.bench.reencode.tokens.ReencodeTokens}.
 */
package dev.blobmark.bench.reencode.tokens;
