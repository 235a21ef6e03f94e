/** Writes an analysis for people and programs: text, Markdown, CSV, JSON, and a page with charts. */
package dev.blobmark.report;
