/** What a survey of a server costs, and how right it is. */
package dev.blobmark.evidence.survey;
