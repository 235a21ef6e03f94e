/**
 * What is to be measured, in which order and at what cost: the factors, blocks, forks, environments and estimates.
 * Nothing here opens a connection or starts a process. Those who do are in {@code conduct}.
 */
package dev.blobmark.lab.plan;
