/**
 * A world in one process: the production classes of a copy on a model of a server, whose order of events follows from a
 * seed. Others read and write, locks are waited for, transactions are in the log before they are visible, sessions,
 * processes and the server are killed. An auditor who knows only what was acknowledged judges each ending.
 *
 * <p>{@link dev.blobmark.reencode.world.World} is the program; {@code Model} is the server, {@code Others} are the
 * applications and a DBA, {@code ModelServer} is what Blobmark sees of the server.
 */
package dev.blobmark.reencode.world;
