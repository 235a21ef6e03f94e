/**
 * What a survey says of each column: how much smaller it would be, and how sure that is. Pure functions of its records.
 */
package dev.blobmark.analysis.survey;
