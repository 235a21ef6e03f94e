/**
 * Being a guest on a server that others use too: what is checked before anything is written, a schema of Blobmark's own that
 * carries a marker and goes when the run ends, and a look at the server's load while the run is there. No global variable
 * is set, and nothing outside the schema is written or dropped.
 */
package dev.blobmark.lab.admission;
