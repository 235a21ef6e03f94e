/** A report independent of its form, and the forms that people read: text for a terminal, and Markdown. */
package dev.blobmark.report.document;
