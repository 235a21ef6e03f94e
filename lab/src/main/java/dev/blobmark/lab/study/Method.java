package dev.blobmark.lab.study;

/**
 * What the user can choose, and what is ranked.
 *
 * @param id the method's name in the study: {@code mysql-uncompress}
 * @param levels the method's levels, including the study's defaults
 */
public record Method(String id, Levels levels) {}
