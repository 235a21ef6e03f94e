/**
 * What one operation does: fetch, insert, update, scan, membership, mixes, and codecs alone. How often and by how many
 * threads operations are done is in {@code engine}.
 */
package dev.blobmark.lab.workload;
