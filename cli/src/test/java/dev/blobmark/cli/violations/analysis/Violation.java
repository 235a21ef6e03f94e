package dev.blobmark.cli.violations.analysis;

/** An analysis that knows the report. */
public class Violation {

    public static void look() {
        dev.blobmark.cli.violations.report.Violation.look();
    }
}
