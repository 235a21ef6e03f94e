/**
 * Attacks on what a guest promises: faults of a server with a replica at each step of a run, and runs that are killed. They start
 * {@code ./blobmark} as a user does, and judge by what is seen from outside.
 */
package dev.blobmark.bench.guest;
