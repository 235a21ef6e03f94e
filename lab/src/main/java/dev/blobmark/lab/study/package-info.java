/**
 * Studies, methods, conditions, trials and claims; the reader of study files, and the built-in studies. What a factor
 * does is in the package of its class; the list of factors is in {@code plan}.
 */
package dev.blobmark.lab.study;
