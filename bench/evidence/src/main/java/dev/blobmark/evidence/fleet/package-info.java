/** How fleets of more hosts than there are would measure. */
package dev.blobmark.evidence.fleet;
