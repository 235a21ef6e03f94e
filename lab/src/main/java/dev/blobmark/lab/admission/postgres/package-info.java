/**
 * Being on a PostgreSQL that others use: checks, and a marked schema.
 */
package dev.blobmark.lab.admission.postgres;
