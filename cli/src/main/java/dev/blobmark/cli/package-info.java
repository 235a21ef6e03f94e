/**
 * The commands. Only this package reads the command line, the environment and the terminal, prints, and ends the
 * process. What commands do is in the lab and in the report: a command here reads options, calls them, and turns errors
 * into messages and exit codes.
 */
package dev.blobmark.cli;
