package dev.blobmark.cli.violations.reencode.row;

/** A row that knows tables, which know rows. */
public class Violation {

    public static void look() {
        dev.blobmark.cli.violations.reencode.table.Violation.look();
    }
}
