/**
 * Tests of what docs/guest.md promises: faults of a server with a replica at each step of a run, and runs that are
 * killed. They start {@code ./blobmark} like a user, and check its behaviour from outside.
 */
package dev.blobmark.bench.guest;
