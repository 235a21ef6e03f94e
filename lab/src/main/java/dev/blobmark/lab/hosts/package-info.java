/** Several hosts that measure, read and change together. The module {@code fleet} has them on a Spark cluster. */
package dev.blobmark.lab.hosts;
