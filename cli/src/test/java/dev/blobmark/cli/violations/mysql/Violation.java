package dev.blobmark.cli.violations.mysql;

/** A connection that knows the lab. */
public class Violation {

    public static void look() {
        dev.blobmark.cli.violations.lab.study.Violation.look();
    }
}
