/**
 * How a machine disturbs figures, and what can be done about it: findings, pins, cores that are kept awake, a competing
 * load on the processor. Also the only place that starts programs.
 */
package dev.blobmark.lab.machine;
