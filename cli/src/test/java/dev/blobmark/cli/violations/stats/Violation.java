package dev.blobmark.cli.violations.stats;

/** Statistics that know the lab. */
public class Violation {

    public static void look() {
        dev.blobmark.cli.violations.lab.study.Violation.look();
    }
}
