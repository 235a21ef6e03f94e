package dev.blobmark.report;

import dev.blobmark.report.document.Document;
import java.util.Optional;

/**
 * The text of a run in the page.
 *
 * @param question of the study
 * @param headline the answer in a line
 * @param setting where and when it was measured
 * @param glance the figures that decide
 * @param answer rankings with their notes
 * @param claims empty for a study without claims
 * @param evidence samples that lack something, and what was measured and how
 */
record PageText(
        String question,
        String headline,
        String setting,
        Document glance,
        Document answer,
        Optional<Document> claims,
        Document evidence) {}
