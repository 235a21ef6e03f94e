/**
 * What one operation does: fetch, insert, update, scan, membership, and mixes of them. How often and by how many
 * threads is in {@code engine}.
 */
package dev.blobmark.lab.workload;
