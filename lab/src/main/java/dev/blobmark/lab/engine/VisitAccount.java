package dev.blobmark.lab.engine;

/**
 * What one worker measured in one visit: all types of operations together.
 *
 * @param round in which all open trials were visited
 * @param nanos of the window, verification taken off
 * @param firstOperations of its first half
 * @param firstNanos how long those took; the half ends with an operation
 */
record VisitAccount(int round, long operations, long bytes, long nanos, long firstOperations, long firstNanos) {}
