package dev.blobmark.cli.violations.lab.fork;

/** The process around an engine. */
public class Violation {

    public static void look() {}
}
