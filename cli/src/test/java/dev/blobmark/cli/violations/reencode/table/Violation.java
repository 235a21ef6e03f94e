package dev.blobmark.cli.violations.reencode.table;

/** A table that knows rows, and the whole. */
public class Violation {

    public static void look() {
        dev.blobmark.cli.violations.reencode.row.Violation.look();
        dev.blobmark.cli.violations.reencode.Violation.look();
    }
}
