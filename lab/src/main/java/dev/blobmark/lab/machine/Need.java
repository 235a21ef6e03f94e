package dev.blobmark.lab.machine;

/**
 * What a run needs, in bytes.
 *
 * @param study name of the study
 * @param memoryBytes of the server and of both JVMs, at most
 * @param diskBytes for tables and encoded values
 * @param workingSetBytes stored bytes that the trial with the largest table reads
 */
public record Need(String study, long memoryBytes, long diskBytes, long workingSetBytes) {}
