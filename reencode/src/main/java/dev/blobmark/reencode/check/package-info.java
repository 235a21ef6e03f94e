/** Whether a change may begin, and what it would do. Nothing here writes. */
package dev.blobmark.reencode.check;
