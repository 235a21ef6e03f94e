package dev.blobmark.cli.violations.report;

/** A report that knows the cli, and prints a stack trace. */
public class Violation {

    public static void look() {
        dev.blobmark.cli.violations.cli.Allowed.look();
        new IllegalStateException().printStackTrace();
    }
}
