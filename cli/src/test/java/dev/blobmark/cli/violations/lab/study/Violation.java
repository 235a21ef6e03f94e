package dev.blobmark.cli.violations.lab.study;

/** Half of a cycle, and a reader of the environment. */
public class Violation {

    public static void look() {
        dev.blobmark.cli.violations.lab.engine.Violation.look();
        if (System.getenv().isEmpty() || System.getenv("HOME") == null) {
            System.exit(1);
        }
    }
}
