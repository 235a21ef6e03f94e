/** What the server says of the user's table, of its columns and of who may use it; names and locks of tables. */
package dev.blobmark.reencode.table;
