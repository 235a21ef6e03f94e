package dev.blobmark.cli.violations.lab.plan;

/** A plan that knows who measures. */
public class Violation {

    public static void look() {
        dev.blobmark.cli.violations.lab.engine.Violation.look();
    }
}
