/** How far a change is. Tables next to the user's hold it, so that the same command continues from any machine. */
package dev.blobmark.reencode.checkpoint;
