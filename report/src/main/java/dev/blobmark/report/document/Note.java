package dev.blobmark.report.document;

/**
 * An observation that weakens or explains figures, with its cause and the next step as far as they are known.
 *
 * @param mark one character that stands before it in a terminal; may be empty
 */
public record Note(String mark, String text, Tone tone) {}
