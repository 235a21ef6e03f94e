/** What the user allows, and what the user is shown. */
package dev.blobmark.reencode.terms;
