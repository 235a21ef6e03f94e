package dev.blobmark.lab.machine;

/**
 * What a run is going to take, in bytes.
 *
 * @param study whose run it is
 * @param memoryBytes of the server and of both JVMs, at most
 * @param diskBytes for tables and encoded values
 * @param workingSetBytes that the trial with the largest table reads, as stored
 */
public record Need(String study, long memoryBytes, long diskBytes, long workingSetBytes) {}
