/** Connections that are not measured, and statements on them. */
package dev.blobmark.mysql.client;
