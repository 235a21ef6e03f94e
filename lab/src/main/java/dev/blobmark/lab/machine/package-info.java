/**
 * What a machine does to figures, and what can be done about it: findings, pins, cores that are kept awake, a rival
 * for the processor. Also the one place where programs are started.
 */
package dev.blobmark.lab.machine;
