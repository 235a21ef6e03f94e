/** An attack on private servers: a process of another's that takes their ports before they do, and asks for their passwords. */
package dev.blobmark.bench.thief;
