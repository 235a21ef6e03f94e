/**
 * Reads the binary log of MySQL and MariaDB for the changes of one table. Whatever could concern that table and is not
 * understood completely ends the reading with an {@link dev.blobmark.reencode.binlog.IncompleteLogException}.
 */
package dev.blobmark.reencode.binlog;
