package dev.blobmark.cli.violations.lab.engine;

/** The other half of the cycle; knows the report and its fork, prints, exits and makes programs. */
public class Violation {

    public static void look() {
        dev.blobmark.cli.violations.lab.study.Violation.look();
        dev.blobmark.cli.violations.report.Violation.look();
        dev.blobmark.cli.violations.lab.fork.Violation.look();
        System.out.println();
        System.err.println();
        Runtime.getRuntime().exit(1);
        Runtime.getRuntime().halt(1);
        new ProcessBuilder("true").command();
        new ProcessBuilder(java.util.List.of("true")).command();
    }
}
