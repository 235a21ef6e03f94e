/**
 * Working on a server that others use too: what an account may do, what is replicated, and a watch of the server's
 * load, which pauses and ends what works there.
 */
package dev.blobmark.mysql.admission;
