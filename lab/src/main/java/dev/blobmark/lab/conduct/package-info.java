/**
 * Carries out a study: starts servers, loads tables, runs forks, and writes the run directory. Planning is in
 * {@code plan}, access to running servers in {@code admission}, measuring in {@code fork} and {@code engine}.
 */
package dev.blobmark.lab.conduct;
