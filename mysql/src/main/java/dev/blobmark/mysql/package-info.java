/**
 * A MySQL or MariaDB and what it holds, for all that measures it and for what changes it: how it is reached, what
 * others allow there, and the user's tables. Nothing here starts a server or measures one.
 */
package dev.blobmark.mysql;
