/**
 * What is measured, in which order, and how long it takes: the list of factors, blocks, forks, environments and
 * estimates. Classes that open connections or start processes belong in {@code conduct}. The only exception is
 * {@link Jvm}, which starts a JVM to ask for its version.
 */
package dev.blobmark.lab.plan;
