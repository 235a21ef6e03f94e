/**
 * Reads small samples of many columns of a user's server, and finds how much smaller they would be if they were
 * compressed. Nothing is written to the server.
 */
package dev.blobmark.lab.survey;
