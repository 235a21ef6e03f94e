/**
 * The course of an advice: what codecs do to the values, what the server needs for stored bytes, which candidates are
 * measured against each other, and which one is recommended. Measuring is done by {@code lab}; the text of an advice is
 * in {@code report}.
 */
package dev.blobmark.advice;
