/** Why a change ends. */
package dev.blobmark.reencode.failure;
