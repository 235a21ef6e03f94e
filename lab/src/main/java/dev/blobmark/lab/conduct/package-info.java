/**
 * Carries a study out: starts servers, loads tables, runs forks, and writes the run directory. What is planned is in
 * {@code plan}; measuring itself is in {@code fork} and {@code engine}.
 */
package dev.blobmark.lab.conduct;
