/** An attack on private servers: another process takes their ports first, and requests their passwords. */
package dev.blobmark.evidence.thief;
