/**
 * Running on a PostgreSQL that others use too: the checks, and a schema with an ownership marker. The tables themselves
 * are in {@code store.postgres}.
 */
package dev.blobmark.lab.admission.postgres;
