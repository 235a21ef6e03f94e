/**
 * Running on a server that others use too: the checks before anything is written, a schema with an ownership marker
 * that is dropped when the run ends, and a watch of the server's load. No global variable is set, and nothing outside
 * the schema is written or dropped. The tables themselves are in {@code store}.
 */
package dev.blobmark.lab.admission;
