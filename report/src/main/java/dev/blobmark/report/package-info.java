/** Reads run directories, and makes of them what people and programs read: tables, Markdown, CSV, JSON; and compares runs. */
package dev.blobmark.report;
