/** The same work on several servers, by a process for each. */
package dev.blobmark.cli.shards;
