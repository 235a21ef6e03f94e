package dev.blobmark.cli.violations.reencode;

/** A change of a table that knows the lab. */
public class Violation {

    public static void look() {
        dev.blobmark.cli.violations.lab.study.Violation.look();
    }
}
