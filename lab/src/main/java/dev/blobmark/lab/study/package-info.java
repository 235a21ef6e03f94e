/**
 * Studies, methods, conditions, trials and claims; the reader of study files, and the built-in studies. What a factor
 * does belongs in the package of its class, the list of all factors in {@code plan}, and the grading of claims in
 * {@code analysis}.
 */
package dev.blobmark.lab.study;
