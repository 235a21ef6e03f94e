package dev.blobmark.lab.study;

/**
 * What the user gets to choose, and what is ranked.
 *
 * @param id the study's name for it: {@code mysql-uncompress}
 * @param levels its choices, the study's defaults included
 */
public record Method(String id, Levels levels) {}
