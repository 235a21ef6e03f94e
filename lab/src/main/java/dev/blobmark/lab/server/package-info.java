/**
 * What all servers have in common: the endpoint, the account, TLS, the version and the identity. Kinds of servers are
 * in the packages below.
 */
package dev.blobmark.lab.server;
