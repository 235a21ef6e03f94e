/** What a column holds: how its values are stored, one of them, all of them. Nothing here writes. */
package dev.blobmark.reencode.column;
