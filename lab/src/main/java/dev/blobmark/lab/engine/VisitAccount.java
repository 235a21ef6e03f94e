package dev.blobmark.lab.engine;

/**
 * The result of one worker in one visit, for all types of operations together.
 *
 * @param round of visits to all open trials
 * @param nanos length of the window without verification
 * @param firstOperations operations of the first half
 * @param firstNanos length of the first half, which ends with an operation
 */
record VisitAccount(int round, long operations, long bytes, long nanos, long firstOperations, long firstNanos) {}
